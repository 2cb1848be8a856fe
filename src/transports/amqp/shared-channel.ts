import type { SendingChannel } from "./sending-channel.ts";

/** The channel of a connection on which all its messages go; one that the broker has ended is followed by another. */
export interface SharedChannel {
  opened(): Promise<SendingChannel>;
  close(): Promise<void>;
}

export function sharedChannel(open: () => Promise<SendingChannel>): SharedChannel {
  let channel: SendingChannel | null = null;
  let opening: Promise<SendingChannel> | null = null;

  async function another(): Promise<SendingChannel> {
    channel = await open();
    return channel;
  }

  return {
    async opened() {
      if (channel?.isOpen() === true) return channel;
      opening ??= another().finally(() => {
        opening = null;
      });
      return opening;
    },
    async close() {
      await channel?.close();
    },
  };
}
