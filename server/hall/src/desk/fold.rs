//! The desk's facts taken into the state, and what takes them back.

use arbitration::{Game, Words};
use tournament::{EventData, ResultEntry, RoundNo};
use xiangqi::Position;

use super::decide::with;
use super::{DeskFact, DeskRefusal};
use crate::event;
use crate::refusal::Refusal;
use crate::{Entry, Hall};

impl Hall {
    pub(crate) fn fold_desk(&mut self, fact: &DeskFact, entry: &Entry) -> Result<(), Refusal> {
        let inverse = self.desk_inverse(fact);
        self.take(fact, entry)?;
        match fact {
            DeskFact::Undone(_) => {
                self.desk.undo.pop();
            }
            DeskFact::Numbered(_) => {
                self.desk.undo.clear();
                self.desk.undo.extend(inverse.map(|inverse| (did(fact), inverse)));
            }
            DeskFact::Set { .. }
            | DeskFact::Regulated { .. }
            | DeskFact::Filed { .. }
            | DeskFact::Entrant { .. }
            | DeskFact::Absent { .. }
            | DeskFact::Drafted { .. }
            | DeskFact::Unpublished { .. }
            | DeskFact::Added { .. }
            | DeskFact::Turned { .. }
            | DeskFact::Noted { .. }
            | DeskFact::LinedUp { .. }
            | DeskFact::Seated { .. }
            | DeskFact::Simul { .. } => {
                self.desk.undo.extend(inverse.map(|inverse| (did(fact), inverse)));
            }
        }
        if !matches!(fact, DeskFact::Seated { .. }) {
            self.desk.note(entry.no, entry.at, entry.by.name(), did(fact));
        }
        Ok(())
    }

    /// The fact that takes this one back, made before it is taken in; `None`: it cannot be taken back so.
    fn desk_inverse(&self, fact: &DeskFact) -> Option<DeskFact> {
        let undone = |did: &Words| Words::new(format!("撤销：{}", did.zh), format!("taken back: {}", did.en));
        let because = |why: &String| format!("撤销：{why}");
        match fact {
            DeskFact::Set { why, .. } => {
                Some(DeskFact::Set { settings: Box::new(self.desk.settings.clone()), why: because(why) })
            }
            DeskFact::Regulated { why, .. } => {
                let regulation = Box::new(self.frame.as_ref()?.regulation.clone());
                Some(DeskFact::Regulated { regulation, why: because(why) })
            }
            DeskFact::Filed { no, did, .. } => {
                let file = self.desk.files.get(no).cloned().map(Box::new);
                Some(DeskFact::Filed { no: *no, file, did: undone(did) })
            }
            DeskFact::Numbered(_) => Some(DeskFact::Numbered(Vec::new())),
            DeskFact::Entrant { no, did, .. } => Some(DeskFact::Entrant {
                no: *no,
                entrant: self.event.as_ref().and_then(|event| event.entrant(*no).cloned()),
                whom: self.desk.whose.get(no).copied(),
                did: undone(did),
            }),
            DeskFact::Absent { no, rounds, absent } => {
                Some(DeskFact::Absent { no: *no, rounds: rounds.clone(), absent: !absent })
            }
            DeskFact::Drafted { round, did, .. } => {
                let pairs = self.desk.draft.as_ref().map(|(_, pairs)| pairs.clone());
                Some(DeskFact::Drafted { round: *round, pairs, did: undone(did) })
            }
            DeskFact::Turned { round, table, why } => {
                Some(DeskFact::Turned { round: *round, table: *table, why: because(why) })
            }
            DeskFact::LinedUp { round, team, .. } => {
                let lineup = self.desk.lineups.get(team).and_then(|of| of.get(round)).cloned();
                Some(DeskFact::LinedUp { round: *round, team: *team, lineup, late: false })
            }
            DeskFact::Simul { did, .. } => {
                Some(DeskFact::Simul { simul: Box::new(self.desk.simul.clone()), did: undone(did) })
            }
            DeskFact::Unpublished { .. }
            | DeskFact::Added { .. }
            | DeskFact::Noted { .. }
            | DeskFact::Seated { .. }
            | DeskFact::Undone(_) => None,
        }
    }

    fn take(&mut self, fact: &DeskFact, entry: &Entry) -> Result<(), Refusal> {
        match fact {
            DeskFact::Set { settings, .. } => {
                if let Some(event) = &self.event {
                    self.event = Some(event::edit(event, |data| event::set(data, settings))?);
                }
                if let Some(frame) = &mut self.frame {
                    frame.rounds = settings.rounds;
                    if let Some(title) = settings.titles.first() {
                        frame.title.clone_from(title);
                    }
                }
                self.desk.regroup(settings);
                self.desk.settings = (**settings).clone();
            }
            DeskFact::Regulated { regulation, .. } => {
                if let Some(frame) = &mut self.frame {
                    frame.regulation = (**regulation).clone();
                }
            }
            DeskFact::Filed { no, file, .. } => {
                match file {
                    Some(file) => self.desk.files.insert(*no, (**file).clone()),
                    None => self.desk.files.remove(no),
                };
                self.rename()?;
            }
            DeskFact::Numbered(whose) => {
                self.desk.whose = whose.iter().copied().collect();
                if whose.is_empty() {
                    self.event = None;
                    self.desk.draft = None;
                }
            }
            DeskFact::Entrant { no, entrant, whom, .. } => {
                let event = self.event.as_ref().ok_or(DeskRefusal::NotDrawn)?;
                let replace = |data: &mut EventData| {
                    let place = data.entrants.iter().position(|known| known.no == *no);
                    match (place, entrant) {
                        (Some(place), Some(entrant)) => data.entrants[place] = entrant.clone(),
                        (Some(place), None) => drop(data.entrants.remove(place)),
                        (None, Some(entrant)) => data.entrants.push(entrant.clone()),
                        (None, None) => {}
                    }
                };
                self.event = Some(event::edit(event, replace)?);
                match whom {
                    Some(whom) => self.desk.whose.insert(*no, *whom),
                    None => self.desk.whose.remove(no),
                };
            }
            DeskFact::Absent { no, rounds, absent } => {
                let event = self.event.as_ref().ok_or(DeskRefusal::NotDrawn)?;
                let change = |data: &mut EventData| {
                    let theirs = |result: &ResultEntry| {
                        result.red == *no
                            && rounds.contains(&result.round)
                            && result.kind == tournament::ResultKind::Absent
                    };
                    data.results.retain(|result| !theirs(result));
                    if *absent {
                        data.results.extend(rounds.iter().map(|round| ResultEntry::absent(*round, *no)));
                    }
                };
                self.event = Some(event::edit(event, change)?);
            }
            DeskFact::Drafted { round, pairs, .. } => {
                self.desk.draft = pairs.clone().map(|pairs| (*round, pairs));
            }
            DeskFact::Unpublished { round, .. } => {
                if self.rounds.last().is_some_and(|last| last.no() == *round && !last.started)
                    && let Some(last) = self.rounds.pop()
                {
                    self.desk.draft = Some((*round, last.pairs().to_vec()));
                }
            }
            DeskFact::Added { round, pair } => self.add_table(*round, pair, entry)?,
            DeskFact::Turned { round, table, .. } => {
                self.round_mut(*round)?.turn(*table);
                self.retake(*round, *table)?;
            }
            DeskFact::Noted { round, table, fouls, at, .. } => {
                let of_round = self.round_mut(*round)?;
                of_round.entering(*table, *at);
                if let Some(fouls) = fouls {
                    of_round.set_fouls(*table, *fouls);
                    self.retake(*round, *table)?;
                }
            }
            DeskFact::LinedUp { round, team, lineup, .. } => {
                let of_team = self.desk.lineups.entry(*team).or_default();
                match lineup {
                    Some(lineup) => of_team.insert(*round, lineup.clone()),
                    None => of_team.remove(round),
                };
            }
            DeskFact::Seated { round, seats } => self.round_mut(*round)?.seat(seats.clone()),
            DeskFact::Simul { simul, .. } => self.desk.simul = (**simul).clone(),
            DeskFact::Undone(fact) => self.take(fact, entry)?,
        }
        Ok(())
    }

    /// Entrants have the names of their forms and, until round 1 is paired, the groups.
    fn rename(&mut self) -> Result<(), Refusal> {
        let Some(event) = &self.event else { return Ok(()) };
        let desk = &self.desk;
        let unpaired = self.rounds.is_empty();
        let renamed = event::edit(event, |data| {
            for entrant in &mut data.entrants {
                let named = desk.whose.get(&entrant.no).and_then(|whom| desk.named(*whom));
                if let Some((named, house)) = named {
                    entrant.name = named.name;
                    entrant.unit = named.unit;
                    entrant.house = house;
                }
                let asked = desk.whose.get(&entrant.no).and_then(|whom| desk.group_asked(*whom));
                if let Some(group) = asked.filter(|_| unpaired) {
                    entrant.group = group;
                }
            }
        })?;
        self.event = Some(renamed);
        Ok(())
    }

    fn add_table(&mut self, no: RoundNo, pair: &crate::Pair, entry: &Entry) -> Result<(), Refusal> {
        let frame = self.frame.as_ref().ok_or(DeskRefusal::NotOpen)?;
        let regulation = self.desk.regulation(&frame.regulation, no);
        let (started, over) = {
            let round = self.round_mut(no)?;
            round.add(pair.clone());
            (round.started, round.over)
        };
        if let Some(event) = &self.event {
            // Who had the bye, or was not there, plays now.
            let of_the_two = |result: &ResultEntry| {
                let theirs = result.red == pair.red || Some(result.red) == pair.black;
                result.round == no && result.black.is_none() && theirs
            };
            self.event = Some(event::edit(event, |data| data.results.retain(|result| !of_the_two(result)))?);
        }
        if started && !over {
            let round = self.round_mut(no)?;
            round.games.insert(pair.table, Game::new(regulation, Position::start(), entry.at));
            let observations = self.observations();
            if let Some(table) = self.tables.get_mut(pair.table) {
                table.begin(Position::start(), entry.at, observations);
            }
        }
        Ok(())
    }

    /// A round of any number.
    pub(crate) fn round_mut(&mut self, no: RoundNo) -> Result<&mut crate::round::Round, Refusal> {
        let found = self.rounds.iter_mut().find(|round| round.no() == no);
        Ok(found.ok_or(DeskRefusal::NoRound(no))?)
    }
}

/// A fact in words, for the desk's history.
fn did(fact: &DeskFact) -> Words {
    match fact {
        DeskFact::Set { why, .. } => with("修改赛事设置", "settings changed", why),
        DeskFact::Regulated { why, .. } => with("修改竞赛规程", "conduct of play changed", why),
        DeskFact::Filed { no, did, .. } => {
            Words::new(format!("第{no}号报名表：{}", did.zh), format!("form {no}: {}", did.en))
        }
        DeskFact::Numbered(whose) if whose.is_empty() => Words::new("撤销抽签", "draw taken back"),
        DeskFact::Numbered(whose) => {
            Words::new(format!("抽签，共{}个号", whose.len()), format!("{} numbers drawn", whose.len()))
        }
        DeskFact::Entrant { no, did, .. } => {
            Words::new(format!("{no}号：{}", did.zh), format!("{no}: {}", did.en))
        }
        DeskFact::Absent { no, rounds, absent } => {
            let rounds: Vec<String> = rounds.iter().map(RoundNo::to_string).collect();
            let [zh, en] = if *absent { ["请假", "absent"] } else { ["销假", "present after all"] };
            Words::new(
                format!("{no}号第{}轮{zh}", rounds.join("、")),
                format!("{no}: {en} in round {}", rounds.join(", ")),
            )
        }
        DeskFact::Drafted { round, did, .. } => {
            Words::new(format!("第{round}轮对阵：{}", did.zh), format!("round {round} pairings: {}", did.en))
        }
        DeskFact::Unpublished { round, why } => {
            with(format!("收回第{round}轮对阵"), format!("round {round}: pairings taken back"), why)
        }
        DeskFact::Added { round, pair } => Words::new(
            format!("第{round}轮加{}台", pair.table),
            format!("round {round}: table {} added", pair.table),
        ),
        DeskFact::Turned { round, table, why } => with(
            format!("第{round}轮{table}台先后手对换"),
            format!("round {round}, table {table}: colours changed"),
            why,
        ),
        DeskFact::Noted { round, table, did, .. } => Words::new(
            format!("第{round}轮{table}台：{}", did.zh),
            format!("round {round}, table {table}: {}", did.en),
        ),
        DeskFact::LinedUp { round, team, lineup, late } => {
            let [zh, en] = match lineup {
                Some(_) => ["交出场名单", "line-up handed in"],
                None => ["撤回出场名单", "line-up taken back"],
            };
            let [late_zh, late_en] = if *late { ["（逾时补交）", " (late)"] } else { ["", ""] };
            Words::new(
                format!("第{round}轮{team}队{zh}{late_zh}"),
                format!("round {round}, team {team}: {en}{late_en}"),
            )
        }
        DeskFact::Seated { round, .. } => {
            Words::new(format!("第{round}轮各台就座"), format!("round {round}: seats taken"))
        }
        DeskFact::Simul { did, .. } => {
            Words::new(format!("车轮战：{}", did.zh), format!("exhibition: {}", did.en))
        }
        DeskFact::Undone(fact) => match &**fact {
            DeskFact::Set { .. } => Words::new("撤销：修改赛事设置", "taken back: settings changed"),
            DeskFact::Regulated { .. } => {
                Words::new("撤销：修改竞赛规程", "taken back: conduct of play changed")
            }
            DeskFact::Filed { .. }
            | DeskFact::Numbered(_)
            | DeskFact::Entrant { .. }
            | DeskFact::Absent { .. }
            | DeskFact::Drafted { .. }
            | DeskFact::Unpublished { .. }
            | DeskFact::Added { .. }
            | DeskFact::Turned { .. }
            | DeskFact::Noted { .. }
            | DeskFact::LinedUp { .. }
            | DeskFact::Seated { .. }
            | DeskFact::Simul { .. }
            | DeskFact::Undone(_) => did(fact),
        },
    }
}
