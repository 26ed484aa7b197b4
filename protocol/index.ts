export * from './ids';
export * from './limits';
export { say, sayIn } from './say';
export * from './errors';
export * from './session';
export * from './message';
export * from './approval';
export * from './audit';
export * from './question';
export * from './change';
export * from './clientTool';
export * from './relay';
export * from './handle';
export { Settings, Provider } from './settings';
export {
  PROTOCOL_VERSION,
  Initialize,
  Initialized,
  Need,
  HostState,
  Snapshot,
  Ended,
  ModelInfo,
  ModelList,
  ProviderInfo,
  OtherWindow,
  WINDOW_KEY,
  SettingsUpdate,
} from './host';
export * from './model';
export * from './server';
export * from './form';
export * from './formSchema';
export * from './harness';
export * from './events';
export * from './transcript';
export * from './foldTranscript';
export * from './snapshot';
export * from './sessionFile';
export * from './methods';
