// Commands of the server that this editor does more for than others.
import * as vscode from 'vscode';
import type { TracePanel } from './panel';

type Next = (command: string, args: unknown[]) => vscode.ProviderResult<unknown>;

// executed shows traces in the panel, saves what is compared with HEAD, and shows what came out of a comparison.
export function executed(panel: Pick<TracePanel, 'show'>): (command: string, args: unknown[], next: Next) => Promise<unknown> {
  return async (command, args, next) => {
    switch (command) {
      case 'firmproof.trace':
        await panel.show(String(args[0]), String(args[1]));
        return undefined;
      case 'firmproof.compare':
      case 'firmproof.harness':
        await vscode.workspace.saveAll(false); // the server takes these from the disk
        return next(command, args);
    }
    return next(command, args);
  };
}
