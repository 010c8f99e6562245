// Amounts that users give as a number or as a percentage of another number.

/** A percentage is rounded as asked; text that is none counts as 0. */
export function scaledAmount(amount: number | string | undefined, total: number, round: "up" | "down"): number {
  if (amount === undefined) return 0;
  if (typeof amount === "number") return amount;
  if (!/^[0-9]{1,9}%$/.test(amount)) return 0;
  const hundredths = Number(amount.slice(0, -1)) * total;
  return round === "up" ? Math.ceil(hundredths / 100) : Math.floor(hundredths / 100);
}
