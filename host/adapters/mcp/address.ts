/** Over https, or on this machine: nowhere else may a token, a code or a registration be seen. */
export function isSafe(address: string | URL): boolean {
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:') return true;
  return protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
