import { render } from 'preact';
import { App } from './components/app';
import { connect } from './state/wire';

const place = document.getElementById('app');
if (place !== null) {
  render(<App />, place);
  connect();
}

/** Says that this is an ES module: without an export the bundler wraps each file that it reads as one of CommonJS. */
export {};
