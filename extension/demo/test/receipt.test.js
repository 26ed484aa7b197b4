const assert = require('node:assert/strict');
const { test } = require('node:test');
const { money, receipt } = require('../src/receipt.js');

test('money shows two digits for the cents', () => {
  assert.equal(money(5), '0.05');
  assert.equal(money(1230), '12.30');
});

test('a receipt lists the lines and the total', () => {
  assert.equal(receipt([{ name: 'bread', pieces: 2 }]), '2 x bread  6.50\nTotal  6.50');
});
