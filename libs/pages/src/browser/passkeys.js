/**
 * Makes and uses passkeys. A button with `data-passkey` gets the browser's answer as JSON into the hidden field that `data-field` names,
 * and sends its form; without script codes do the same.
 */
const isAddress = /^[\d.]+$|^\[/.test(location.hostname);
const isUsable = window.isSecureContext && 'PublicKeyCredential' in window && !isAddress;

/** @param {string} text base64url */
const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));

/** @param {ArrayBuffer | null | undefined} buffer */
const textOf = (buffer) =>
  buffer == null
    ? undefined
    : btoa(String.fromCharCode(...new Uint8Array(buffer)))
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replaceAll('=', '');

/** @param {string} address */
async function post(address) {
  const response = await fetch(address, { method: 'POST' });
  const body = await response.json();
  if (!response.ok) throw new Error(body.detail);
  return body;
}

async function use() {
  const { challenge, ...options } = await post('/api/auth/passkeys/challenge');
  const given = await navigator.credentials.get({
    publicKey: { ...options, challenge: bytesOf(challenge) },
  });
  const { id, type, response } = /** @type {PublicKeyCredential} */ (given);
  const { clientDataJSON, authenticatorData, signature, userHandle } = /** @type {AuthenticatorAssertionResponse} */ (
    response
  );
  return {
    id,
    rawId: id,
    type,
    response: {
      clientDataJSON: textOf(clientDataJSON),
      authenticatorData: textOf(authenticatorData),
      signature: textOf(signature),
      userHandle: textOf(userHandle),
    },
  };
}

async function make() {
  const { challenge, user, excludeCredentials, hints, ...options } = await post('/api/auth/passkeys/options');
  const made = await navigator.credentials.create({
    publicKey: {
      ...options,
      challenge: bytesOf(challenge),
      user: { ...user, id: bytesOf(user.id) },
      excludeCredentials: (excludeCredentials ?? []).map((/** @type {{ id: string, type: 'public-key' }} */ each) => ({
        ...each,
        id: bytesOf(each.id),
      })),
    },
  });
  const { id, type, response } = /** @type {PublicKeyCredential} */ (made);
  const { clientDataJSON, attestationObject } = /** @type {AuthenticatorAttestationResponse} */ (response);
  return {
    id,
    rawId: id,
    type,
    response: { clientDataJSON: textOf(clientDataJSON), attestationObject: textOf(attestationObject) },
  };
}

/** @param {HTMLButtonElement} button */
async function press(button) {
  const { form } = button;
  const field = form?.elements.namedItem(button.dataset.field ?? '');
  const said = button.parentElement?.querySelector('[role=alert]');
  if (form === null || !(field instanceof HTMLInputElement) || !said) return;
  if (button.dataset.passkey === 'create' && !form.reportValidity()) return;
  said.textContent = '';
  button.disabled = true;
  try {
    field.value = JSON.stringify(await (button.dataset.passkey === 'create' ? make() : use()));
    form.noValidate = true;
    form.submit();
  } catch (err) {
    const isOver = err instanceof DOMException;
    const words = isOver ? button.dataset.failed : err instanceof Error ? err.message : '';
    said.textContent = words ?? '';
    button.disabled = false;
  }
}

if (isUsable) {
  for (const part of document.querySelectorAll('.passkey[hidden]')) part.removeAttribute('hidden');
  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button[data-passkey]') : null;
    if (!(button instanceof HTMLButtonElement)) return;
    event.preventDefault();
    void press(button);
  });
}
