// Which Node this project runs on. Plain JavaScript that Node 18 can read, because an old Node is what it has to answer.

import { existsSync } from "node:fs";
import { join } from "node:path";

/** The oldest Node that runs TypeScript as it is and has `node:sqlite` without a flag. */
const oldest = { major: 22, minor: 18 };

export const nodeNeeded = `Node.js >= ${oldest.major}.${oldest.minor}`;

/**
 * @param {string} version as in `process.versions.node`
 * @returns {boolean}
 */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > oldest.major || (major === oldest.major && minor >= oldest.minor);
}

/**
 * The Node that `npm ci` brings into a clone; undefined in an installed package, and on platforms without one.
 *
 * @param {string} root the folder that holds `node_modules`
 * @returns {string | undefined}
 */
export function pinnedNode(root) {
  const windows = process.platform === "win32";
  const folder = `node-${windows ? "win" : process.platform}-${process.arch}`;
  const file = join(root, "node_modules", folder, "bin", windows ? "node.exe" : "node");
  return existsSync(file) ? file : undefined;
}
