import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isAddress, isPublicAddress } from "./address.ts";

const closed = [
  ...["0.0.0.0", "0.255.0.1", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.9.9.9"],
  ...["169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1"],
  ...["198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.1.1.1", "240.0.0.1"],
  ...["255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:7f00:1", "::127.0.0.1", "fc00::1"],
  ...["fdff::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::1"],
  ...["100::1", "2001::1", "2001:0:7f00:1::", "2001:db8::1", "2001:10::1", "2002:7f00:1::", "2002:a00:1::1", "3fff::1"],
];

const open = [
  ...[
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
  ],
  ...[
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.1",
    "192.167.255.255",
    "198.17.255.255",
    "223.255.255.255",
  ],
  ...["2606:4700:4700::1111", "2001:4860:4860::8888", "2a00:1450::1", "2003::1", "2001:200::1", "3fff:1000::1"],
];

test("an address of one's own network is not public, however it is written", () => {
  for (const address of closed) assert.equal(isPublicAddress(address), false, address);
});

test("an address that everyone can reach is public, up to the borders of those that are not", () => {
  for (const address of open) assert.equal(isPublicAddress(address), true, address);
});

test("what is no address in its plain form is none, and is not public", () => {
  const texts = ["", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "0x7f.0.0.1", "127.1", "a.b.c.d", " 8.8.8.8"];
  texts.push(":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "g::1", "12345::1", "fe80::1%eth0", "::1.2.3.400");
  for (const text of texts) assert.deepEqual([isAddress(text), isPublicAddress(text)], [false, false], text);
});

test("an IPv6 address is the same however it is written", () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const plain = URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1) as string;
      assert.equal(isAddress(text), true, text);
      assert.equal(isPublicAddress(text), isPublicAddress(plain), text);
    }),
    { numRuns: 1_000 },
  );
});
