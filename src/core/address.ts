// Which addresses the server may be sent to by its users. A URL that somebody registers must not lead into the network
// the server itself stands in, so only what the whole world can reach is public; everything unclear is not.

/** Four bytes; null where the text is no IPv4 address in its plain form. */
function ipv4Of(text: string): readonly number[] | null {
  const parts = text.split(".");
  const bytes = parts.map((part) => (/^(?:0|[1-9]\d{0,2})$/.test(part) ? Number(part) : 256));
  return parts.length === 4 && bytes.every((byte) => byte < 256) ? bytes : null;
}

/** Eight groups; null where the text is no IPv6 address. A zone is not part of it. */
function ipv6Of(text: string): readonly number[] | null {
  const halves = withoutIpv4Tail(text).split("::");
  if (halves.length > 2) return null;
  const [head = [], tail = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
  const groups = [...head, ...Array.from({ length: missing }, () => "0"), ...tail];
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : null;
}

/** `::ffff:127.0.0.1` is `::ffff:7f00:1`. */
function withoutIpv4Tail(text: string): string {
  const at = text.lastIndexOf(":") + 1;
  const bytes = ipv4Of(text.slice(at));
  if (bytes === null) return text;
  const [a, b, c, d] = bytes as [number, number, number, number];
  return `${text.slice(0, at)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

type Network = readonly [first: readonly number[], bits: number];

/** IPv4: all that is not for the public, by the registry of special addresses. */
const closedIpv4: readonly Network[] = [
  [[0], 8], // this network
  [[10], 8], // private
  [[100, 64], 10], // shared by carriers
  [[127], 8], // loopback
  [[169, 254], 16], // link-local; clouds keep their secrets there
  [[172, 16], 12], // private
  [[192, 0, 0], 24], // protocols
  [[192, 0, 2], 24], // documentation
  [[192, 88, 99], 24], // relays to IPv6
  [[192, 168], 16], // private
  [[198, 18], 15], // benchmarks
  [[198, 51, 100], 24], // documentation
  [[203, 0, 113], 24], // documentation
  [[224], 3], // multicast, reserved, broadcast
];

/** IPv6: only this is routed at all. Loopback, mapped, local, link-local, NAT64 and multicast are outside of it. */
const openIpv6: Network = [[0x2000], 3];

const closedIpv6: readonly Network[] = [
  [[0x2001, 0], 23], // protocols, Teredo among them
  [[0x2001, 0xdb8], 32], // documentation
  [[0x2002], 16], // IPv4 inside of IPv6
  [[0x3fff, 0], 20], // documentation
];

export function isAddress(text: string): boolean {
  return ipv4Of(text) !== null || ipv6Of(text) !== null;
}

/** Whether the text is an address that is nobody's own: what is no address at all is not public either. */
export function isPublicAddress(text: string): boolean {
  const ipv4 = ipv4Of(text);
  if (ipv4 !== null) return !closedIpv4.some((network) => isIn(ipv4, network, 8));
  const ipv6 = ipv6Of(text);
  if (ipv6 === null) return false;
  return isIn(ipv6, openIpv6, 16) && !closedIpv6.some((network) => isIn(ipv6, network, 16));
}

function isIn(address: readonly number[], [first, bits]: Network, width: number): boolean {
  return address.every((part, index) => {
    const kept = Math.min(width, Math.max(0, bits - index * width));
    const rest = 2 ** (width - kept);
    return Math.floor(part / rest) === Math.floor((first[index] ?? 0) / rest);
  });
}
