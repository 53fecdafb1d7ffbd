// Asking the server. Every error is the same object: the parameter, what to do, and the options that
// would do it.

export class Refused extends Error {
  constructor(status, { parameter = null, message = "the server did not answer.", options = [] } = {}) {
    super(message);
    this.status = status;
    this.parameter = parameter;
    this.options = options;
  }
}

async function read(response) {
  if (response.ok) return response.json();
  let said = {};
  try {
    said = await response.json();
  } catch {
    said = { message: `the server answered ${response.status}.` };
  }
  throw new Refused(response.status, said);
}

async function send(url, options) {
  try {
    return await fetch(url, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, {
      message: "the server cannot be reached; is it still running?",
    });
  }
}

export async function ask(path, query = "", signal = undefined) {
  return read(await send(`/api/${path}${query ? `?${query}` : ""}`, { signal }));
}

export async function upload(file) {
  const url = `/api/tables?name=${encodeURIComponent(file.name)}`;
  const headers = { "content-type": "application/octet-stream" };
  return read(await send(url, { method: "POST", body: file, headers }));
}

// A piece of the page that the server has written.
export async function askPiece(path, query, signal = undefined) {
  const response = await send(`/api/${path}?${query}`, { signal });
  return response.ok ? response.text() : read(response);
}

export function figureUrl(figure, format, query) {
  return `/api/figures/${figure}.${format}?${query}`;
}

export function downloadUrl(file, query) {
  return `/api/downloads/${file}?${query}`;
}
