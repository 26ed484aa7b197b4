import assert from 'node:assert/strict';
import fc from 'fast-check';
import { redactJson } from '../../host/base/redact';

const secrets = { names: [], values: ['123456', 'say "no"', '\\u0041bc'] };

describe('secrets in JSON', () => {
  it('X8 S1 it stays JSON whatever holds the secret: a text, a name or a number', () => {
    const piece = fc.oneof(fc.constantFrom('123456', 'say "no"', '\\u0041bc', '"', '\\', 'x'), fc.string());
    const text = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
    const { data } = fc.letrec((tie) => ({
      data: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.double({ noNaN: true }),
        fc.constantFrom(123456, -1234567, 0.123456, true, null),
        fc.array(tie('data'), { maxLength: 3 }),
        fc.dictionary(text, tie('data'), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(data, (value) => {
        const clean = redactJson(JSON.stringify(value), secrets);
        assert.doesNotThrow(() => void JSON.parse(clean));
        assert.ok(!clean.includes('123456'));
        assert.ok(!clean.includes('say \\"no\\"'));
      }),
    );
  });

  it('X8 what holds none is left as it is, however deep it lies', () => {
    const deep = `${'['.repeat(20_000)}{"a":[1,-2.5e+30,"b\\n",true,null]}${']'.repeat(20_000)}`;
    assert.equal(redactJson(deep, secrets), deep);
    assert.ok(redactJson(deep.replace('b', '123456'), secrets).includes('"[REDACTED]\\n"'));
  });
});
