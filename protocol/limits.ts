/**
 * The numbers of the product, each with its unit and its reason. Where a person could want another,
 * the setting `limits.NAME` overrides it.
 */
export const KIB = 1024;
export const MIB = 1024 * 1024;

/** How long a wait for a verdict is held live before its turn is parked, ms: a quick click needs no park. */
export const HOLD_MS = 2_000;
/** How long a steer lets a live wait end by itself before it is lifted, ms. The only delay of a steer. */
export const STEER_GRACE_MS = 250;
/** What the agent is told of a handle's end without asking, bytes of UTF-8: enough for a last line. */
export const END_REPORT_BYTES = 2_048;
/** Model answers a turn may have: beyond it an agent is in a loop. */
export const ROUNDS_PER_TURN = 200;
/** Attempts of one model request: with the back-off below about two minutes of trouble are survived. */
export const MODEL_ATTEMPTS = 8;
export const BACKOFF_FIRST_MS = 250;
export const BACKOFF_MOST_MS = 30_000;
/** The longest `retry-after` that is obeyed, ms; a longer one ends the turn with its code. */
export const RETRY_AFTER_MOST_MS = 600_000;
/** A model stream without content for this long is a failed attempt, ms. */
export const STALL_MS = 120_000;
/** A provider's list of its models, ms and bytes: a person waits for it, and OpenRouter's is about a megabyte. */
export const MODEL_LIST_MS = 5_000;
export const MODEL_LIST_BYTES = 4 * MIB;
/** How long such a list is taken for true, ms: a model that was added meanwhile shows up within a coffee. */
export const MODEL_LIST_KEPT_MS = 300_000;
/** Models that are taken from such a list: twice what the largest services have. */
export const LISTED_MODELS_MOST = 1_000;
/** Running time of a foreground command, ms: by default, and at most. */
export const SHELL_MS = 120_000;
export const SHELL_MOST_MS = 600_000;
export const COMMAND_BYTES = 16 * KIB;
/** What a model is shown of a result, bytes: half head, half tail. */
export const SHOWN_BYTES = 64 * KIB;
/** What is kept of each stream of a command, bytes: first and last half. */
export const STREAM_KEPT_BYTES = 1024 * KIB;
/** What is kept whole of any other result, bytes. */
export const RESULT_KEPT_BYTES = 16 * MIB;
/** Size of a terminal, columns and rows: wide enough for compilers' messages. */
export const TERMINAL_COLS = 120;
export const TERMINAL_ROWS = 30;
/** Widest and highest terminal: no screen is larger. */
export const TERMINAL_SIDE_MOST = 1_000;
/** How long a look at a terminal waits for output, ms: by default, and at most. */
export const YIELD_MS = 1_000;
export const YIELD_MOST_MS = 30_000;
/** What is kept of a terminal's output, bytes: first and last half. */
export const TERMINAL_KEPT_BYTES = 1024 * KIB;
/** One text that is typed into a terminal, bytes. */
export const TYPED_BYTES = 64 * KIB;
/** Typed text that its program has not taken, bytes: one that reads nothing gets no more. */
export const TYPED_WAITING_BYTES = 1024 * KIB;
export const WAIT_HANDLES = 64;
/** Handles that have ended and stay in the lists: the newest, about a screen's scrolling. `handle/list` has all. */
export const ENDED_HANDLES_LISTED = 100;
export const WAIT_MOST_MS = 24 * 60 * 60 * 1000;
export const PROMPT_BYTES = 256 * KIB;
export const NOTE_BYTES = 8 * KIB;
export const INSTRUCTIONS_BYTES = 64 * KIB;
/** What is told of a project's own instructions, bytes: about 8,000 tokens, paid with every request. */
export const PROJECT_INSTRUCTIONS_BYTES = 32 * KIB;
/** The excerpt of a session that was found, characters: a line of a list. */
export const FOUND_EXCERPT = 160;
/** A session as a file, characters: it is parsed in one go, in memory. */
export const SESSION_FILE_BYTES = 64 * MIB;
export const PAGE_ITEMS = 64;
export const PAGE_ITEMS_MOST = 256;
/** Turns a page of the transcript holds at most, and by default. */
export const TRANSCRIPT_TURNS_MOST = 64;
export const TRANSCRIPT_TURNS = 16;
/** A file that `read` or `edit` takes, bytes. */
export const FILE_BYTES = 16 * MIB;
/** Lines that `read` gives by default, and at most. */
export const READ_LINES = 500;
export const READ_LINES_MOST = 5_000;
/** Image sent by a person or a tool, bytes decoded. Providers refuse larger ones. */
export const IMAGE_BYTES = 5 * MIB;
export const IMAGES_PER_MESSAGE = 16;
/** Messages that wait unread in one session. */
export const UNREAD_MESSAGES = 256;
/** One model answer, bytes of text and arguments: more is a runaway and ends the attempt. */
export const ANSWER_BYTES = 4 * MIB;
/** Calls that one model answer may plan. */
export const CALLS_PER_ROUND = 128;
/** Step between two signals of the ladder for processes, ms. */
export const STOP_STEP_MS = 2_000;
/** Step between two steps of the ladder for outside agents, ms: they save a conversation before they go. */
export const HARNESS_STEP_MS = 10_000;
/** How long an outside agent is waited for that is asked for its models, ms: the slowest took 0.6 s. */
export const HARNESS_MODELS_MS = 10_000;
/** A line of an outside agent, bytes; a longer one is passed over with a note. */
export const HARNESS_LINE_BYTES = 16 * MIB;
/** What is kept of an outside agent's error output, bytes, for the text of a failure. */
export const HARNESS_STDERR_BYTES = 8 * KIB;
/** How long an outside agent's process stays after a turn, ms: the next prompt finds it warm. */
export const HARNESS_IDLE_MS = 600_000;
/** How long an outside agent may take to say its first word, ms; then its start has failed. */
export const HARNESS_START_MS = 60_000;
/** Text deltas are gathered for this long before a client gets them, ms: one frame of a screen. */
export const DELTA_MS = 16;
/** A request from the host to a client, ms: the client answers quickly or is busy with a person. */
export const CLIENT_REQUEST_MS = 30_000;
/** Share of a model's window at which the older part is compacted. */
export const COMPACT_AT = 0.75;
/** How long a client tool that needs no person waits for a client after its last one went, ms. */
export const CLIENT_GRACE_MS = 30_000;
/** What a client has for an answer that needs no person, ms: by default, and at most. */
export const CLIENT_TOOL_MS = 60_000;
export const CLIENT_TOOL_MOST_MS = 600_000;
/** Tools that one client may register: each is paid with every request of a model. */
export const CLIENT_TOOLS_A_CLIENT = 64;
/** A tool's description as a model gets it, characters. */
export const TOOL_DESCRIPTION_CHARS = 4_096;
/** What is kept of an outside agent's own limit when a call is held, ms: time to answer before it (C6). */
export const HOLD_MARGIN_MS = 10_000;
/** How often the file relay looks when nothing tells it, ms: at first, and at most. */
export const RELAY_POLL_MS = 300;
export const RELAY_POLL_MOST_MS = 1_500;
/** How long a shim waits for an answer through files, ms; for a tool with a time of its own that time and 10 s. */
export const RELAY_CALL_MS = 60_000;
export const RELAY_MARGIN_MS = 10_000;
/** Preview of a diff inside an approval, bytes; the whole is had by `approval/preview`. */
export const PREVIEW_BYTES = 64 * KIB;
/** Running time of a script, ms: by default, and at most. Waiting for a person or a place does not count. */
export const SCRIPT_MS = 120_000;
export const SCRIPT_MOST_MS = 600_000;
/** A script's own text, bytes: what writes more than this writes data, which belongs in a file. */
export const SCRIPT_BYTES = 256 * KIB;
/** Memory that a script may fill, bytes. */
export const SCRIPT_MEMORY_BYTES = 64 * MIB;
/** What one nested call hands to its script, bytes of JSON. */
export const NESTED_RESULT_BYTES = MIB;
/** Arguments of one nested call, bytes of JSON: as much as a file that is written at once. */
export const NESTED_ARGUMENTS_BYTES = MIB;
/** What a script stores under one key, bytes of JSON, and a session in all, with its keys. */
export const STORED_VALUE_BYTES = 64 * KIB;
export const STORED_BYTES = MIB;
/** Keys that a session stores: all of them are handed to each script that starts. */
export const STORED_KEYS = 4_096;
/** Calls that run at once toward one server, and nested calls in all: servers are made for a few callers. */
export const PLACES_A_SERVER = 4;
export const PLACES = 16;
/** Nested calls that one call makes in all: more is a loop. */
export const STEPS_A_CALL = 10_000;
/** Questions to the person that one call has open at a time: more is a flood, and nobody answers that. */
export const QUESTIONS_A_CALL = 8;
/** An MCP call without an answer and without progress ends after this, ms; a person's time does not count. */
export const MCP_CALL_MS = 120_000;
/** Progress keeps an MCP call alive up to this, ms of running time. */
export const MCP_CALL_MOST_MS = 600_000;
/** From the start of a server to its list of tools, ms: a package that is fetched first takes its time. */
export const SERVER_START_MS = 60_000;
/** How long a sign-in waits for the person in the browser, ms: authorization servers wait no longer. */
export const SIGN_IN_MS = 600_000;
/** What an authorization server has for its answers, ms: from a click to the address that is opened, or to the tokens. */
export const SIGN_IN_STEP_MS = 30_000;
/** One answer of an authorization server, bytes. */
export const SIGN_IN_BYTES = MIB;
/** How long a model request waits for the tools of servers that start for the first time, ms. */
export const SERVER_TOOLS_MS = 10_000;
/** Starts after a crash (M3), and the first pause before one, ms; it doubles. */
export const SERVER_RESTARTS = 5;
export const SERVER_BACKOFF_MS = 1_000;
/** A server that has worked for this long has its restarts counted anew, ms. */
export const SERVER_STABLE_MS = 600_000;
/** One message of a server, bytes: a result that may be kept whole, escaped, with its frame. */
export const SERVER_MESSAGE_BYTES = 2 * RESULT_KEPT_BYTES;
/** Tools that are taken from one server: providers refuse longer lists. */
export const SERVER_TOOLS_MOST = 128;
/** What a model is told of one tool of a server, bytes: its description, and its schema as JSON. */
export const TOOL_DESCRIPTION_BYTES = 2 * KIB;
export const TOOL_SCHEMA_BYTES = 32 * KIB;
/** What is kept of what a server says on its error output, bytes. */
export const SERVER_LOG_BYTES = 64 * KIB;
/** Servers that are taken from settings and workspace. */
export const SERVERS_MOST = 64;
/** Values that one file, or the settings, may ask a person for. */
export const SERVER_INPUTS_MOST = 64;
/** A name of a tool, characters: what every provider takes. */
export const TOOL_NAME_CHARACTERS = 64;
/** Files that one client may have changed and not saved: a renaming through a large project touches thousands. */
export const UNSAVED_FILES_MOST = 4_096;
/** Name of the file in a store's folder by which a client says that a pull was asked for and not answered. */
export const PULL_MARKER = 'pull-asked';
