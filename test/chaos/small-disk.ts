// A disk that is soon full: a file system in memory of a few megabytes, where mounting one is permitted.

import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallDisk {
  readonly folder: string;
  /** Takes all the room that is left but this much. */
  fill(leaveBytes: number): void;
  /** Gives back the room that was taken. */
  free(): void;
  remove(): void;
}

/** Undefined where this process may not mount anything. */
export function smallDisk(
  megabytes: number,
  owner?: { readonly uid: number; readonly gid: number },
): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), "leadhand-disk-"));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "leadhand", folder], { stdio: "pipe" });
  } catch {
    removeFolder();
    return undefined;
  }
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const ballast = join(folder, "ballast");
  return {
    folder,
    fill(leaveBytes) {
      const { bavail, bsize } = statfsSync(folder);
      try {
        writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - leaveBytes)));
      } catch (error) {
        // Someone else took the rest meanwhile: full is full.
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    },
    free: () => rmSync(ballast, { force: true }),
    remove() {
      execFileSync("umount", ["-l", folder]);
      removeFolder();
    },
  };
}
