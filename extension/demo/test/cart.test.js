const assert = require('node:assert/strict');
const { test } = require('node:test');
const { cartTotal } = require('../src/cart.js');

test('an empty cart costs nothing', () => {
  assert.equal(cartTotal([]), 0);
});

test('the cart total adds up its lines', () => {
  const lines = [
    { name: 'apple', pieces: 3 },
    { name: 'bread', pieces: 1 },
  ];
  assert.equal(cartTotal(lines), 460);
});

test('the cart total takes 10 % off ten pieces of one thing', () => {
  assert.equal(cartTotal([{ name: 'egg', pieces: 10 }]), 297);
});

test('the cart total rounds a discounted line to a whole cent', () => {
  assert.equal(cartTotal([{ name: 'egg', pieces: 11 }]), 327);
});
