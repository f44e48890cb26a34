// Reloads the page of a run that is not over, unless the reader does not want that.
(() => {
  'use strict';
  const box = document.getElementById('live');
  box.parentElement.hidden = false;
  setInterval(() => { if (box.checked) location.reload(); }, 5000);
})();
