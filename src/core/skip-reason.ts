/**
 * Why an act on many tasks leaves one as it is: it is not his to touch, over already, not over yet, retried already, or not
 * there any more.
 */
export const skipReasons = ["forbidden", "over", "open", "retried", "gone"] as const;
export type SkipReason = (typeof skipReasons)[number];
