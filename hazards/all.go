package hazards

// All lists the hazards in the order in which the stages meet them.
func All() []Hazard {
	return []Hazard{
		TwoServers,
		Panic,
		EmptyAnswer,
		RecursionOverflow,
		Crash,
		TwoCommands,
		LateLease,
		LeaseTruncated,
		ResultIgnored,
		MisDelete,
		ForeignUnlock,
		OwnerCollision,
		GCPause,
		RetriedDelete,
		Reentry,
		InnerUnlock,
		SharedOwner,
		ThreadNamedKey,
		LeaseCutShort,
		ExpiryMidBusiness,
		HolderGone,
		CancelledUnlock,
		RenewalPiledUp,
		WonButSaidNo,
		RenewalGivesUp,
		LostReply,
		StopTheWorld,
	}
}
