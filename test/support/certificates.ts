/**
 * A certificate authority of the test's own, and certificates that it signs: X.509 written by hand, since Node signs
 * but makes none. Keys are made anew with each run and stand in no file.
 */
import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

export interface Certified {
  /** PEM. */
  readonly key: string;
  readonly cert: string;
}

export interface Authority {
  /** PEM of its own certificate. */
  readonly cert: string;
  /** For a server of these names. */
  certify(...hosts: readonly string[]): Certified;
}

export function authority(name = 'Belay test authority'): Authority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const isAuthority = [extension('551d13', true, sequence(Buffer.from([0x01, 0x01, 0xff])))];
  const cert = certificate(name, name, own.publicKey, own.privateKey, isAuthority);
  return {
    cert,
    certify: (...hosts) => {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const names = extension('551d11', false, sequence(...hosts.map(nameOf)));
      const [host = 'none'] = hosts;
      return {
        key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        cert: certificate(host, name, pair.publicKey, own.privateKey, [names]),
      };
    },
  };
}

const ECDSA_WITH_SHA256 = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
/** From 2020 to 2050, so that no clock is in the way. */
const VALIDITY = sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231000000Z')));

function certificate(
  subject: string,
  issuer: string,
  key: KeyObject,
  signer: KeyObject,
  extensions: readonly Buffer[],
): string {
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    distinguished(issuer),
    VALIDITY,
    distinguished(subject),
    key.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, signer)]));
  const lines =
    sequence(body, ECDSA_WITH_SHA256, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function distinguished(name: string): Buffer {
  const commonName = der(0x06, Buffer.from('550403', 'hex'));
  return sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(name)))));
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  const flag = critical ? [Buffer.from([0x01, 0x01, 0xff])] : [];
  return sequence(der(0x06, Buffer.from(id, 'hex')), ...flag, der(0x04, value));
}

function nameOf(host: string): Buffer {
  const isAddress = /^[\d.]+$/.test(host);
  return isAddress ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function der(tag: number, value: Buffer): Buffer {
  const { length } = value;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}
