/** The code stands behind `#`, which browsers send to no server: no log has it, and no proxy. */
export function dashboardLink(url: string, code: string | null): string {
  return `${url}/ui/${code === null ? "" : `#code=${code}`}`;
}
