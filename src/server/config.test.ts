import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, readConfig } from "./config.ts";

const read = (environment: Record<string, string> = {}, flags: Record<string, unknown> = {}) =>
  readConfig({ environment, flags });

function faults(environment: Record<string, string>, flags: Record<string, unknown> = {}): readonly string[] {
  try {
    read(environment, flags);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
  return [];
}

test("without a word from anyone the defaults hold, and cannot be changed", () => {
  const { config, origins, warnings } = read();
  assert.equal(config.port, 7070);
  assert.equal(config.databaseUrl, null);
  assert.deepEqual(config.allowedCategories, ["modifiers", "selections", "analysis"]);
  assert.deepEqual(origins.port, { kind: "default" });
  assert.deepEqual(warnings, []);
  assert.ok(Object.isFrozen(config));
});

test("a flag wins over a variable, our variable over the document's", () => {
  const environment = {
    LEADHAND_PORT: "1",
    DATABASE_URL: "postgres://a/a",
    LEADHAND_DATABASE_URL: "postgres://b/b",
    WORKER_UNREACHABLE_THRESHOLD_MS: "30000",
    LEADHAND_WORKER_UNREACHABLE_THRESHOLD_MS: "40000",
  };
  const { config, origins } = read(environment, { port: "2" });
  assert.equal(config.port, 2);
  assert.deepEqual(origins.port, { kind: "flag", flag: "--port" });
  assert.equal(config.databaseUrl, "postgres://b/b");
  assert.equal(config.fleetUnreachableMs, 40_000);
  assert.deepEqual(origins.fleetUnreachableMs, {
    kind: "environment",
    variable: "LEADHAND_WORKER_UNREACHABLE_THRESHOLD_MS",
  });
  assert.deepEqual(origins.fleetLostMs, { kind: "derived", from: "fleetUnreachableMs" });
});

test("an empty variable is one that is not set", () => {
  assert.equal(read({ LEADHAND_PORT: "", LEADHAND_HOST: " " }).config.port, 7070);
});

test("a switch is a flag without a value", () => {
  const { config } = read({}, { host: "0.0.0.0", "allow-insecure-bind": true });
  assert.equal(config.allowInsecureBind, true);
});

test("a bad value names the setting, the value and what is allowed, and all of them come at once", () => {
  assert.deepEqual(faults({ LEADHAND_PORT: "80o", LEADHAND_WORKER_TIMEOUT_SECONDS: "1m" }, { "log-level": "loud" }), [
    'LEADHAND_PORT: "80o" is not a whole number from 0 to 65535',
    '--log-level: "loud" is not debug, info, warn, error, silent',
    'LEADHAND_WORKER_TIMEOUT_SECONDS: "1m" is not a number of seconds, at least 0.001',
  ]);
});

test("a bad secret is not repeated", () => {
  const [fault] = faults({ LEADHAND_DATABASE_URL: "postgress://me:hunter2@host/db" });
  assert.match(fault as string, /^LEADHAND_DATABASE_URL: .*postgres:\/\//);
  assert.doesNotMatch(fault as string, /hunter2/);
});

test("thresholds that do not increase are refused, naming both settings", () => {
  assert.deepEqual(faults({ WORKER_OFFLINE_THRESHOLD_MS: "120000" }), [
    "LEADHAND_WORKER_OFFLINE_THRESHOLD_MS (120000) must be greater than LEADHAND_WORKER_UNREACHABLE_THRESHOLD_MS (120000)",
  ]);
  assert.match(faults({ LEADHAND_WORK_HEARTBEAT_INTERVAL: "5s" })[0] as string, /LOST_AFTER.*HEARTBEAT_INTERVAL/);
});

test("a threshold that could not be read is not compared with others", () => {
  assert.equal(faults({ WORKER_UNREACHABLE_THRESHOLD_MS: "x", WORKER_OFFLINE_THRESHOLD_MS: "1" }).length, 1);
});

test("a public address needs TLS or an explicit word", () => {
  assert.match(faults({ LEADHAND_HOST: "0.0.0.0" })[0] as string, /LEADHAND_HOST.*LEADHAND_ALLOW_INSECURE_BIND/);
  assert.deepEqual(faults({ LEADHAND_HOST: "0.0.0.0", LEADHAND_TLS_CERT: "c", LEADHAND_TLS_KEY: "k" }), []);
  for (const host of ["127.0.0.1", "127.1.2.3", "localhost", "::1", "[::1]"]) {
    assert.deepEqual(faults({ LEADHAND_HOST: host }), [], host);
  }
  for (const host of ["127.0.0.1.example.org", "10.0.0.1", "::"])
    assert.equal(faults({ LEADHAND_HOST: host }).length, 1);
});

test("settings that go together are asked for together", () => {
  assert.match(faults({ LEADHAND_TLS_CERT: "c" })[0] as string, /LEADHAND_TLS_KEY/);
  assert.match(faults({ LEADHAND_LEADER_LEASE: "2s" })[0] as string, /LEADHAND_PULSE_INTERVAL/);
  assert.match(faults({ LEADHAND_DATABASE_LISTEN_URL: "postgres://a/b" })[0] as string, /LEADHAND_DATABASE_URL/);
  assert.match(faults({ LEADHAND_BODY_BYTES_MAX: "512KiB" })[0] as string, /LEADHAND_PAYLOAD_BYTES_MAX/);
  assert.match(faults({ LEADHAND_INTERNAL_BROKER: "amqp" })[0] as string, /which needs LEADHAND_AMQP_URL/);
});

test("RabbitMQ's queues are a JSON object", () => {
  const { config } = read({ LEADHAND_AMQP_QUEUES: '{"gpu":"job","ops":"operation","one":"serial"}' });
  assert.deepEqual(config.amqpQueues, { gpu: "job", ops: "operation", one: "serial" });
  assert.equal(faults({ LEADHAND_AMQP_QUEUES: '{"gpu":"jobs"}' }).length, 1);
});

test("names that RabbitMQ would refuse, or that are taken, are refused before it is asked", () => {
  const queues = (names: Record<string, string>) => faults({ LEADHAND_AMQP_QUEUES: JSON.stringify(names) });
  assert.match(queues({ "amq.gpu": "job" })[0] as string, /LEADHAND_AMQP_QUEUES.*amq\.gpu.*begins with amq/);
  assert.match(queues({ "": "job" })[0] as string, /is empty/);
  assert.match(queues({ "protea.dead-letter": "job" })[0] as string, /LEADHAND_AMQP_DEAD_LETTER_QUEUE/);
  assert.match(faults({ LEADHAND_AMQP_DEAD_LETTER: "amq.fanout" })[0] as string, /LEADHAND_AMQP_DEAD_LETTER begins/);
});

test("queues without a broker are worth a word", () => {
  const queues = { LEADHAND_AMQP_QUEUES: '{"gpu":"job"}' };
  assert.match(read(queues).warnings[0] as string, /LEADHAND_AMQP_URL/);
  assert.deepEqual(read({ ...queues, LEADHAND_AMQP_URL: "amqp://broker" }).warnings, []);
});

test("a slip in a variable's name is worth a warning, variables of clients and tests are not", () => {
  const { warnings } = read({ LEADHAND_PROT: "1", LEADHAND_URL: "http://x", LEADHAND_TEST_DATABASE_URL: "y" });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] as string, /LEADHAND_PROT/);
});

test("a short secret of JWTs is worth a warning that does not show it", () => {
  const [warning] = read({ LEADHAND_JWT_SECRET: "hunter2" }).warnings;
  assert.match(warning as string, /^LEADHAND_JWT_SECRET is shorter than 32 bytes/);
  assert.doesNotMatch(warning as string, /hunter2/);
  assert.deepEqual(read({ LEADHAND_JWT_SECRET: "x".repeat(32) }).warnings, []);
});

test("a heartbeat close to the unreachable threshold is worth a warning", () => {
  assert.match(read({ LEADHAND_HEARTBEAT_INTERVAL: "1m" }).warnings[0] as string, /third/);
});

test("the path of a proxy is a plain one", () => {
  for (const good of ["/leadhand", "/a/b-c_d.e/~f"]) assert.deepEqual(faults({ LEADHAND_PATH_PREFIX: good }), []);
  for (const bad of ["/", "leadhand", "/leadhand/", "//host", "/a/../b", "/a b", '/"', "https://host/a"]) {
    assert.match(faults({ LEADHAND_PATH_PREFIX: bad })[0] as string, /^LEADHAND_PATH_PREFIX .*a path like/, bad);
  }
});

test("trusted proxies are addresses or networks", () => {
  const good = "10.0.0.7,10.0.0.0/8,::1,fd00::/8";
  assert.deepEqual(faults({ LEADHAND_TRUSTED_PROXIES: good }), []);
  for (const bad of ["proxy", "10.0.0", "10.0.0.0/33", "10.0.0.0/", "::1/129", "fd00::/8/8", "300.1.1.1"]) {
    assert.match(faults({ LEADHAND_TRUSTED_PROXIES: bad })[0] as string, /^LEADHAND_TRUSTED_PROXIES .*addresses/, bad);
  }
});
