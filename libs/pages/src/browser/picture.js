/** Makes pictures of cameras small enough for a checkout before they are sent; without script, small ones can be chosen. */
const maxBytes = 150 * 1024;
/** Twice the width at which the checkout shows it. */
const widths = [1600, 1200, 800];

/** @param {File} file */
async function smaller(file) {
  const picture = await createImageBitmap(file);
  for (const width of widths) {
    const scale = Math.min(1, width / picture.width);
    const canvas = new OffscreenCanvas(Math.round(picture.width * scale), Math.round(picture.height * scale));
    canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 });
    if (blob.size <= maxBytes) return new File([blob], 'picture.webp', { type: blob.type });
  }
  return file;
}

for (const input of document.querySelectorAll('input[type=file]')) {
  input.addEventListener('change', async () => {
    const [file] = (input instanceof HTMLInputElement && input.files) || [];
    if (!(input instanceof HTMLInputElement) || file === undefined || file.size <= maxBytes) return;
    const chosen = new DataTransfer();
    // What is no picture is sent as it is, and refused with the reason.
    chosen.items.add(await smaller(file).catch(() => file));
    input.files = chosen.files;
  });
}
