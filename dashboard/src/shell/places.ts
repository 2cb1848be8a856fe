// Where one can go, in the order of the menu, and by which keys.

export interface Place {
  readonly path: string;
  readonly title: string;
  /** After `g`. */
  readonly key: string;
  readonly icon: string;
  readonly admin?: true;
  readonly all?: true;
}

export const places: readonly Place[] = [
  { path: "/", title: "Pulse", key: "p", icon: "M2 12h4l3-8 5 16 3-8h5" },
  { path: "/tasks", title: "Tasks", key: "t", icon: "M4 6h16M4 12h16M4 18h10" },
  { path: "/jobs", title: "Jobs", key: "j", icon: "M4 8h16v12H4zM9 8V4h6v4" },
  { path: "/fleet", title: "Fleet", key: "f", icon: "M3 4h7v7H3zM14 4h7v7h-7zM3 15h7v6H3zM14 15h7v6h-7z" },
  { path: "/failures", title: "Failures", key: "x", icon: "M12 3l10 18H2zM12 10v5M12 18v.5" },
  { path: "/providers", title: "Providers", key: "r", icon: "M4 7a8 3 0 0 0 16 0a8 3 0 0 0-16 0v10a8 3 0 0 0 16 0V7" },
  { path: "/audit", title: "Audit", key: "a", icon: "M6 3h9l4 4v14H6zM9 12h7M9 16h7" },
  {
    path: "/health",
    title: "Health",
    key: "h",
    icon: "M12 20S3 14 3 8.5A4.5 4.5 0 0 1 12 7a4.5 4.5 0 0 1 9 1.5C21 14 12 20 12 20z",
    all: true,
  },
  { path: "/admin", title: "Admin", key: "d", icon: "M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6z", admin: true },
];
