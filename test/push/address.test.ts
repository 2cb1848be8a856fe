import assert from "node:assert/strict";
import { BlockList } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { isPublicAddress } from "../../src/core/address.ts";

// The platform's own arithmetic, put to the same list of networks.
const reference = new BlockList();
for (const network of [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
  ...["192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
  ...["224.0.0.0/4", "240.0.0.0/4"],
]) {
  const [address, bits] = network.split("/") as [string, string];
  reference.addSubnet(address, Number(bits), "ipv4");
}

test("any IPv4 address is public exactly when it is in none of the closed networks, and never inside of IPv6", () => {
  const byte = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 254));
  fc.assert(
    fc.property(fc.tuple(byte, byte, byte, byte), (bytes) => {
      const address = bytes.join(".");
      assert.equal(isPublicAddress(address), !reference.check(address, "ipv4"), address);
      for (const prefix of ["::ffff:", "::", "64:ff9b::"]) assert.equal(isPublicAddress(prefix + address), false);
    }),
    { numRuns: 2_000 },
  );
});
