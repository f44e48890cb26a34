// In an editor's panel: which step is shown goes to the editor, and keys of the editor come from it. In a browser there
// is no editor, and this does nothing.
(() => {
  'use strict';
  if (typeof acquireVsCodeApi !== 'function') return;
  const editor = acquireVsCodeApi();
  document.addEventListener('firmproof:step', e => editor.postMessage(e.detail));
  window.addEventListener('message', e => {
    const box = document.querySelector('.viewer');
    if (box && e.data && typeof e.data.key === 'string') box.dispatchEvent(new KeyboardEvent('keydown', { key: e.data.key, bubbles: true }));
  });
})();
