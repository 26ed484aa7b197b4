export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** A line for the output channel. Text only: what is written here must hold no secret. */
export type Log = (level: LogLevel, text: string) => void;
