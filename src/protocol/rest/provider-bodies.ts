import Type from "typebox";
import { nameBytesMax } from "../../core/name.ts";
import { AnyObject, orNull, RoomPath, Time, Uuid } from "./words.ts";

export const ProviderPath = Type.Object({ provider_id: Uuid });

export const ProviderNamePath = Type.Object({
  ...RoomPath.properties,
  provider_name: Type.String({ description: "Full name, `room:category:name`; may hold `/`." }),
});

/** The real client of the documents sends `schema_`; where both are there, `schema` counts. */
export const ProviderRegister = Type.Object({
  category: Type.String(),
  name: Type.String(),
  schema: Type.Optional(AnyObject),
  schema_: Type.Optional(AnyObject),
  content_type: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  worker_id: Type.Optional(orNull(Uuid)),
});

export const Provider = Type.Object({
  id: Uuid,
  room_id: Type.String(),
  category: Type.String(),
  name: Type.String(),
  full_name: Type.String(),
  schema: AnyObject,
  worker_id: Uuid,
  created_at: Time,
});

export const ProviderPrefer = Type.Object({
  prefer: Type.Optional(Type.String({ description: "`wait=N`: wait up to N seconds, at most 30; without it, 5." })),
});

export const RequestHash = Type.Object({
  "x-request-hash": Type.String({
    minLength: 1,
    maxLength: nameBytesMax,
    description: "The `request_id` that the provider was asked with.",
  }),
});
