//! The boot stage's part: before it starts the firmware that runs, it brings a change of firmware one step on.

use embedded_storage::nor_flash::NorFlash;

use super::log::Stage;
use super::slots::{Extent, Slots};
use crate::keep::FlashFailed;

/// Makes whole what is to run now. Called at every start, by nobody but the boot stage; when it fails, the boot stage
/// starts anew.
pub fn prepare_boot<F: NorFlash>(slots: &mut Slots<F>) -> Result<(), FlashFailed> {
    loop {
        match slots.stage()? {
            Stage::Settled | Stage::GivenBack => return Ok(()),
            Stage::ToTry { coming } => {
                let next = match slots.save_running(coming) {
                    Ok(former) => Stage::Replaces { coming, former },
                    // What runs was not touched.
                    Err(FlashFailed) => Stage::GivenBack,
                };
                slots.note(next)?;
            }
            Stage::Replaces { coming, former } => {
                let (from, to) = (slots.layout.coming.clone(), slots.layout.running.clone());
                if slots.holds(&from, coming)? && slots.copy(&from, &to, coming).is_ok() {
                    // Noted before it is started: if it is reset, this start was its trial.
                    return slots.note(Stage::Trial { former });
                }
                slots.give_back(former)?;
            }
            Stage::Trial { former } => slots.give_back(former)?,
        }
    }
}

impl<F: NorFlash> Slots<F> {
    /// Saves what runs, if what came is sound.
    fn save_running(&mut self, coming: Extent) -> Result<Extent, FlashFailed> {
        let Slots { layout, .. } = self;
        let (running, former, came) = (layout.running.clone(), layout.former.clone(), layout.coming.clone());
        if !self.holds(&came, coming)? {
            return Err(FlashFailed);
        }
        let what = self.extent(&running)?;
        self.copy(&running, &former, what)?;
        Ok(what)
    }

    /// What ran before runs again.
    fn give_back(&mut self, former: Extent) -> Result<(), FlashFailed> {
        let (from, to) = (self.layout.former.clone(), self.layout.running.clone());
        self.copy(&from, &to, former)?;
        self.note(Stage::GivenBack)
    }
}
