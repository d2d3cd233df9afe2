/**
 * What an arrival process is: points on a line where one arrival is expected per unit of length.
 */

/**
 * Gives the next point, never before the former one. Points live in *operational time*, the
 * integral of the rate: the schedule maps them to the run's clock through the inverse of that
 * integral, so that a process need not know of rates (time rescaling; Brown et al., "The
 * time-rescaling theorem and its application to neural spike train data analysis", 2002).
 */
export type PointProcess = () => number
