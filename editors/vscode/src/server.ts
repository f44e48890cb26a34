// What the parts of the extension take of the language client: a double of it serves their tests.
import type { CancellationToken } from 'vscode';

export interface Server {
  sendRequest<R>(method: string, params: unknown, token?: CancellationToken): Promise<R>;
}

// How one entry came out on one target (`outcome` in editors/commands.go).
export interface Outcome {
  entry: string;
  target: string;
  status: string;
  seconds: number;
  message: string;
  claim?: string;
  uri?: string;
  line: number;
}

// A harness of a manifest (`harness` in editors/lenses.go).
export interface Harness {
  dir: string;
  entry: string;
  uri?: string;
  range: { start: { line: number; character: number }; end: { line: number; character: number } };
  status?: string;
}
