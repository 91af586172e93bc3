// Kubernetes quantities, near enough for a bar.

const SCALES = { "": 1, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18,
  Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 };

// NaN: it is none.
export function amount(text) {
  const parts = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([a-zA-Z]*)$/.exec(text ?? "");
  return parts === null ? NaN : Number(parts[1]) * (SCALES[parts[2]] ?? NaN);
}
