import { render } from 'preact';
import { App } from './components/app';
import { connect } from './state/wire';

const place = document.getElementById('app');
if (place !== null) {
  render(<App />, place);
  connect();
}
