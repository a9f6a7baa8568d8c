package figures

// examples are the small worked examples of the thesis, as Gantt charts.
var examples []Figure
