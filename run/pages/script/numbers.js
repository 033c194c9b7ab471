// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people read them. Anything but a finite number becomes a dash.

/** A number of the data; NaN for null and for anything else. */
function num(value) {
  return typeof value === "number" ? value : NaN;
}

/** A list of the data; empty for anything else. */
function list(value) {
  return Array.isArray(value) ? value : [];
}

/** An object of the data; empty for anything else. */
function object(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
}

/** A text of the data: anything else as JSON, null as nothing. */
function words(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** "1,234,567"; rounded to an integer. */
function withCommas(value) {
  if (!Number.isFinite(value)) return "–";
  const digits = Math.abs(value).toFixed(0).replace(/\B(?=(\d{3})+$)/g, ",");
  return (value <= -0.5 ? "−" : "") + digits;
}

/** "10" with its power in superscript digits. */
function powerOfTen(power) {
  return "10" + String(power).replace(/-/, "⁻").replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
}

/** With this many digits after the point. */
function fixed(value, digits) {
  return Number.isFinite(value) ? value.toFixed(digits).replace("-", "−") : "–";
}

function threeDigits(value) {
  const decade = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value) * 1.0005));
  return value.toFixed(Math.min(Math.max(0, 2 - decade), 20));
}

/** Three significant digits: "12.3", "0.00123", or "2.58 × 10¹⁵" beyond 1e-3..1e5. */
function scientific(value) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  let power = Math.floor(Math.log10(Math.abs(value)));
  let mantissa = value / 10 ** power;
  if (Math.abs(mantissa) >= 9.995) {
    mantissa /= 10;
    power += 1;
  }
  if (power >= -3 && power < 5) return power >= 3 ? withCommas(value) : threeDigits(value);
  return `${mantissa.toFixed(2)} × ${powerOfTen(power)}`.replace("-", "−");
}

/** "6.78 × 10⁶ ± 2,620"; without an error where all was counted. */
function withError(value, error) {
  return scientific(value) + (error === 0 ? "" : ` ± ${scientific(error)}`);
}

/** Three significant digits with a decimal prefix before the unit: "2.58 PB", "540 B". */
function withPrefix(value, unit) {
  if (!Number.isFinite(value)) return "–";
  const prefixes = ["", "k", "M", "G", "T", "P", "E"];
  let step = 0;
  while (Math.abs(value) >= 999.5 && step + 1 < prefixes.length) {
    value /= 1000;
    step += 1;
  }
  return `${threeDigits(value)} ${prefixes[step]}${unit}`;
}

/** "12.3 ms", "42.1 s", "3 min 20 s", "2 h 05 min", "3 d 4 h". */
function duration(seconds) {
  if (!Number.isFinite(seconds) || seconds < 0) return "–";
  if (seconds === 0) return "0 s";
  if (seconds < 0.0009995) return `${threeDigits(seconds * 1e6)} µs`;
  if (seconds < 0.9995) return `${threeDigits(1e3 * seconds)} ms`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const two = (value) => String(value).padStart(2, "0");
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`;
  return `${withCommas(Math.floor(whole / 86400))} d ${Math.floor((whole % 86400) / 3600)} h`;
}

/** "12.3%", "0.4%", "<0.1%". */
function percent(share) {
  if (!Number.isFinite(share)) return "–";
  return share > 0 && share < 0.0005 ? "<0.1%" : `${(100 * share).toFixed(1)}%`;
}

/** "1 rank", "2 ranks". */
function plural(count, noun) {
  return `${Number.isFinite(num(count)) ? withCommas(count) : words(count)} ${noun}${count === 1 ? "" : "s"}`;
}
