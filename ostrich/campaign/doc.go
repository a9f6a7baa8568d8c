// Package campaign finds campaigns: the sets of jobs whose results a user waits for
// together. It knows of a job when it was submitted, by whom and as part of what, and
// when it departs; the virtual schedule is built upon it.
//
// A job belongs, in this order, to
//
//  1. the campaign of its group, so that a job array is never split over campaigns
//  2. the campaign that it declares by name, see [Declared]
//  3. the user's latest campaign that nobody declared, if the [Rule] lets it join
//  4. a campaign that it opens
//
// What is declared and what the rule finds live side by side: neither changes the other.
//
// [Rule.Joins] and [Declared] serve a schedule, which is told of a submission when it
// happens. A [Splitter] does all of it for a finished log.
package campaign
