// A message that comes again had a consumer that ended before it did, or lost its broker. How often that was is said by a
// header, so that one which kills whoever takes it does not go on for ever.

import { redeliveryHeader } from "../../protocol/amqp/messages.ts";
import type { Delivery } from "./consuming.ts";

/** How often it was delivered in vain, this time not counted. */
export function triedBefore({ headers, isRepeated }: Pick<Delivery, "headers" | "isRepeated">): number {
  const said = Number(headers[redeliveryHeader] ?? 0);
  const known = Number.isInteger(said) && said > 0 ? said : 0;
  return isRepeated ? known + 1 : known;
}

/** The same, as it is to be published: its header says what the broker's flag does not. */
export function noted(delivery: Delivery): Delivery {
  const tried = triedBefore(delivery);
  if (tried === 0) return delivery;
  return { ...delivery, isRepeated: false, headers: { ...delivery.headers, [redeliveryHeader]: tried } };
}
