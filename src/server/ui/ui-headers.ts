// What every answer below /ui/ tells the browser: run what this server sent, talk to nobody else, and let nobody put the
// dashboard into a page of their own.

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  // WebSockets to the same host are its own as well.
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
];

const unused = ["camera", "display-capture", "geolocation", "microphone", "midi", "payment", "usb"];

export const uiHeaders = {
  "content-security-policy": policy.join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": unused.map((feature) => `${feature}=()`).join(", "),
};
