import { brokerContract } from "./broker-contract.ts";
import { anInternalJob, type FakeBroker, fakeBroker } from "./fake-broker.ts";

const [quick, slow] = ["@internal:modifiers:Quick", "@internal:modifiers:Slow"];

brokerContract("fake broker", {
  ...{ quick, slow },
  open: (places) =>
    fakeBroker(
      [quick, slow].map((name) => anInternalJob({ name })),
      places,
    ),
  async finish(broker, { task }) {
    const fake = broker as FakeBroker;
    await fake.begin(task);
    const found = fake.out.find((assignment) => assignment.task === task);
    fake.end(task, { type: "completed", result: JSON.stringify(JSON.parse(found?.payload ?? "null")) });
  },
});
