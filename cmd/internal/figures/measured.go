package figures

// measured are the figures that show measurements of simulations.
var measured []Figure
