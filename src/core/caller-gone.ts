/** The reason with which the signal of a request aborts when whoever asked has hung up. */
export const callerGone = "gone";
