"""The documents' example of the manual mode, line for line. Ctrl-C ends it."""

from typing import ClassVar

from host import api, tsio, vis
from leadhand_jobs import Category, Extension, JobManager

with JobManager(api, tsio) as manager:

    @manager.register
    class Rotate(Extension):
        category: ClassVar[Category] = Category.MODIFIER
        angle: float = 0.0

        def run(self, vis, **kwargs):
            vis.rotate(self.angle)

    for task in manager.listen(polling_interval=2.0):
        manager.start(task)
        try:
            task.extension.run(vis)
            manager.complete(task)
        except Exception as e:
            manager.fail(task, str(e))
