import assert from "node:assert/strict";
import { test } from "node:test";
import { liveLine } from "./live-line.ts";

function aScreen(isTTY: boolean, columns = 80) {
  let time = 0;
  let written = "";
  const out = {
    isTTY,
    columns,
    write(text: string) {
      written += text;
      return true;
    },
  } as NodeJS.WriteStream;
  const line = liveLine({ out, now: () => time });
  return { line, pass: (ms: number) => (time += ms), written: () => written };
}

test("on a terminal one line is written over, and gone in the end", () => {
  const { line, pass, written } = aScreen(true);
  line.show("one");
  line.show("too soon");
  pass(100);
  line.show("two");
  line.end();
  assert.equal(written(), "\r\u001b[2Kone\r\u001b[2Ktwo\r\u001b[2K");
});

test("a line wider than the terminal is cut, so that it can be written over", () => {
  const { line, written } = aScreen(true, 10);
  line.show("0123456789");
  assert.equal(written(), "\r\u001b[2K012345678");
});

test("elsewhere there is a plain line now and then", () => {
  const { line, pass, written } = aScreen(false);
  line.show("one");
  pass(999);
  line.show("too soon");
  pass(1);
  line.show("two");
  line.end();
  assert.equal(written(), "one\ntwo\n");
});
