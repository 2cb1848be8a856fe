"""The documents' auto-serve example, line for line."""

from typing import ClassVar

from host import api, tsio, vis
from leadhand_jobs import Category, ClaimedTask, Extension, JobManager


def my_execute(task: ClaimedTask) -> None:
    task.extension.run(vis)


with JobManager(api, tsio, execute=my_execute) as manager:

    @manager.register
    class Rotate(Extension):
        category: ClassVar[Category] = Category.MODIFIER
        angle: float = 0.0

        def run(self, vis, **kwargs):
            vis.rotate(self.angle)

    manager.wait()  # blocks until SIGINT/SIGTERM

# The socket is the host's, and a program with an open socket does not end.
if tsio is not None:
    tsio.disconnect()
