/** Ways in which a server fails a caller; each message is a sentence. They stand apart from the SDK, which is loaded late. */

/** The server answered with an error of its own. */
export class ServerError extends Error {}

/** The connection is gone; what was under way may have happened. */
export class ConnectionLost extends Error {}

/** The server wants the person to sign in. */
export class SignInNeeded extends Error {}

/** The server refuses what its configuration gives it to be known by. */
export class Rejected extends Error {}

/** A sign-in could not be prepared, finished or renewed this time. */
export class SignInFailed extends Error {}

/** The authorization server has said no: what was kept of the sign-in is of no use any more. */
export class SignInRefused extends Error {}

/** Values that a person must give are missing; nothing has started. */
export class InputMissing extends Error {}

/** The server is not there and is not being started. Nothing was sent to it. */
export class Unavailable extends Error {}
