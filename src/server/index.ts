// The door `leadhand/server`: a server inside another program.
//
//   const leadhand = server(readConfig({ environment: process.env, flags: { port: "0" } }));
//   const address = await leadhand.start();
//   await leadhand.operations.submit([{ job, room: "@global", payload: "{}" }]);
//   await leadhand.stop();

export { Problem, type ProblemCode } from "../core/problem.ts";
export type { Move } from "../core/task.ts";
export type { ClaimRequest } from "../engine/dispatcher.ts";
export type { Operations } from "../engine/engine.ts";
export type { JobRequest } from "../engine/jobs.ts";
export type { TaskRequest } from "../engine/task-request.ts";
export type { Verification } from "../engine/verify.ts";
export type { ClaimedTask, JobRecord, TaskRecord, WorkerRecord } from "../ports/records.ts";
export { backupDatabase } from "./backup-database.ts";
export { ConfigError, type ConfigSources, type ReadConfig, readConfig } from "./config.ts";
export { type Database, databaseOf } from "./database.ts";
export { migrateDatabase } from "./migrate-database.ts";
export { type Server, type ServerOptions, server } from "./server.ts";
export type { Config } from "./settings/settings.ts";
export { verifyDatabase } from "./verify-database.ts";
