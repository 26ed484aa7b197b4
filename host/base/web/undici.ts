/** What is used of undici. It is read when a request first needs it, from a bundle of its own. */
export { Agent, Dispatcher, Pool, buildConnector } from 'undici';
export { fetch } from 'undici/lib/web/fetch/index.js';
