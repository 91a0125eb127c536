/** Makes pictures of cameras small enough for a checkout before they are sent, and shows them; without script, small ones can be chosen. */
const maxBytes = 150 * 1024;
/** Twice the width at which the checkout shows it, and less where that is too much for the bytes. */
const widths = [1600, 1200, 800, 480];

/** Null where no width makes it small enough. @param {ImageBitmap} picture */
async function smaller(picture) {
  for (const width of widths) {
    const scale = Math.min(1, width / picture.width);
    const canvas = new OffscreenCanvas(Math.round(picture.width * scale), Math.round(picture.height * scale));
    canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 });
    if (blob.size <= maxBytes) return new File([blob], 'picture.webp', { type: blob.type });
  }
  return null;
}

/** A canvas needs no address that the page's policy would have to allow. @param {HTMLInputElement} input @param {ImageBitmap} picture */
function showChosen(input, picture) {
  const canvas = document.createElement('canvas');
  canvas.className = 'chosen';
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', 'The chosen picture');
  canvas.width = 320;
  canvas.height = Math.max(1, Math.round((320 * picture.height) / picture.width));
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  input.after(canvas);
}

/** @param {HTMLInputElement} input @param {string} text */
function refuse(input, text) {
  const error = document.createElement('p');
  error.className = 'error';
  error.role = 'alert';
  error.textContent = text;
  input.after(error);
  input.value = '';
}

/** @param {HTMLInputElement} input @param {File} file */
async function prepare(input, file) {
  // What is no picture is sent as it is where that is possible, and refused with the reason.
  const picture = await createImageBitmap(file).catch(() => null);
  if (picture !== null && input.files?.[0] === file) showChosen(input, picture);
  if (file.size <= maxBytes) return;
  const made = picture === null ? null : await smaller(picture);
  // Another one was chosen meanwhile.
  if (input.files?.[0] !== file) return;
  if (made === null) return refuse(input, 'This file cannot be made small enough. Choose a JPEG, PNG or WebP.');
  const chosen = new DataTransfer();
  chosen.items.add(made);
  input.files = chosen.files;
}

for (const input of document.querySelectorAll('input[type=file]')) {
  if (!(input instanceof HTMLInputElement)) continue;
  /** @type {Promise<void> | null} */
  let preparing = null;
  input.addEventListener('change', async () => {
    for (const shown of input.parentElement?.querySelectorAll('.chosen, .error') ?? []) shown.remove();
    const [file] = input.files ?? [];
    if (file === undefined) return;
    const mine = prepare(input, file);
    preparing = mine;
    await mine.catch(() => undefined);
    if (preparing === mine) preparing = null;
  });
  // A form that is sent meanwhile would send the large one: it waits, and is sent as it was pressed.
  input.form?.addEventListener('submit', async (event) => {
    if (preparing === null) return;
    event.preventDefault();
    event.stopPropagation();
    const { submitter } = event;
    if (submitter?.getAttribute('aria-busy') === 'true') return;
    submitter?.setAttribute('aria-busy', 'true');
    while (preparing !== null) await preparing.catch(() => undefined);
    submitter?.removeAttribute('aria-busy');
    if ((input.files ?? []).length > 0) input.form?.requestSubmit(submitter);
  });
}
