import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const folder = fileURLToPath(new URL(".", import.meta.url));

export default defineConfig({
  root: folder,
  // The server writes the real place into <base>: everything else is relative to it.
  base: "./",
  plugins: [react()],
  build: {
    outDir: fileURLToPath(new URL("../dist/ui", import.meta.url)),
    emptyOutDir: true,
    target: ["chrome123", "firefox121", "safari17.5"],
    // Inline scripts and styles would need holes in the Content-Security-Policy.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // In kB before compression; a test holds what the first page loads, compressed, against its limit.
    chunkSizeWarningLimit: 700,
  },
  // `npm run dev -w dashboard` beside a server on the usual port.
  server: {
    proxy: {
      "/v1": { target: "http://127.0.0.1:7070" },
      "/socket.io": { target: "http://127.0.0.1:7070", ws: true },
    },
  },
});
