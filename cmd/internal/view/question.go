package view

import "errors"

// Question is something that can be asked of a described cycle.
type Question[Answer any] struct {
	Name string
	Of   func(s *Cycle, v *Viewer, by *Selection) (Answer, error)
}

// The questions that commands ask of a cycle of their own.
var (
	AskPlan = Question[Plan]{"plan", func(s *Cycle, v *Viewer, by *Selection) (Plan, error) {
		return s.Chosen(v, by), nil
	}}
	AskCampaigns = Question[Campaigns]{"campaigns", func(s *Cycle, v *Viewer, by *Selection) (Campaigns, error) {
		return s.Unfinished(v, by), nil
	}}
	AskShares = Question[Shares]{"shares", func(s *Cycle, v *Viewer, by *Selection) (Shares, error) {
		return s.Shares(v, by), nil
	}}
	AskExplain = Question[*Explanation]{"explain", explain}
)

// explain explains the one job that is chosen. A job that v may not see is unknown.
func explain(s *Cycle, v *Viewer, by *Selection) (*Explanation, error) {
	if len(by.Jobs) != 1 {
		return nil, errors.New("name one job")
	}
	name, err := ParseJob(by.Jobs[0])
	if err != nil {
		return nil, err
	}
	e, err := s.Explain(name)
	if err == nil && !v.Job(e.User, e.Account) {
		return nil, unknown(name)
	}
	return e, err
}
