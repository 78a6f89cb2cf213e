-- Two warehouses with cryptic names, many variants of a table and no keys, in the form that linking_practice
-- reads: a hospital (names in capitals with underscores) and a municipal utility (names run together after
-- "tbl", and six with codes that only their comments explain). Written for this tool; the questions of
-- warehouses.jsonl use the words of people who have never seen the names.

CREATE SCHEMA hospital_warehouse;
CREATE TABLE hospital_warehouse."PT_DIM" (
  "PT_KEY" integer,
  "PT_MRN" text,
  "PT_LAST_NM" text,
  "PT_FIRST_NM" text,
  "BIRTH_DT" date,
  "SEX_CD" text,
  "PREF_LANG_CD" text,
  "MARTL_STAT_CD" text,
  "PCP_PROV_KEY" integer,
  "DECSD_IND" text,
  "EFF_DT" date,
  "EXP_DT" date,
  "CURR_ROW_IND" text
);
CREATE TABLE hospital_warehouse."PT_DIM_HIST" (
  "PT_KEY" integer,
  "PT_MRN" text,
  "PT_LAST_NM" text,
  "PT_FIRST_NM" text,
  "BIRTH_DT" date,
  "SEX_CD" text,
  "CHG_DT" date,
  "CHG_BY_USR" text
);
CREATE TABLE hospital_warehouse."PT_ADDR" (
  "PT_KEY" integer,
  "ADDR_TYP_CD" text,
  "ADDR_LN1" text,
  "ADDR_LN2" text,
  "CITY_NM" text,
  "ST_CD" text,
  "POSTAL_CD" text,
  "CNTRY_CD" text,
  "PHN_NBR" integer
);
CREATE TABLE hospital_warehouse."PT_ADDR_HIST" (
  "PT_KEY" integer,
  "ADDR_TYP_CD" text,
  "ADDR_LN1" text,
  "CITY_NM" text,
  "ST_CD" text,
  "POSTAL_CD" text,
  "EFF_DT" date,
  "EXP_DT" date
);
CREATE TABLE hospital_warehouse."PT_ALLRGY" (
  "PT_KEY" integer,
  "ALLRGN_CD" text,
  "ALLRGN_DESC" text,
  "SEVRTY_CD" text,
  "REACTN_DESC" text,
  "NOTED_DT" date
);
CREATE TABLE hospital_warehouse."PT_PROBLST" (
  "PT_KEY" integer,
  "DX_CD" text,
  "ONSET_DT" date,
  "RSLVD_DT" date,
  "CHRNC_IND" text
);
CREATE TABLE hospital_warehouse."PT_CONTCT" (
  "PT_KEY" integer,
  "CONTCT_NM" text,
  "RELTN_CD" text,
  "PHN_NBR" integer,
  "EMERG_IND" text
);
CREATE TABLE hospital_warehouse."INS_CVG" (
  "PT_KEY" integer,
  "PAYR_KEY" integer,
  "PLAN_CD" text,
  "MBR_NBR" integer,
  "CVG_STRT_DT" date,
  "CVG_END_DT" date,
  "PRIM_IND" text
);
CREATE TABLE hospital_warehouse."INS_CVG_ALL" (
  "PT_KEY" integer,
  "PAYR_KEY" integer,
  "PLAN_CD" text,
  "MBR_NBR" integer,
  "CVG_STRT_DT" date,
  "CVG_END_DT" date,
  "PRIM_IND" text,
  "SRC_SYS_CD" text
);
CREATE TABLE hospital_warehouse."PAYR_DIM" (
  "PAYR_KEY" integer,
  "PAYR_NM" text,
  "PAYR_TYP_CD" text,
  "CNTRCT_IND" text
);
CREATE TABLE hospital_warehouse."ENC_FACT" (
  "ENC_KEY" integer,
  "PT_KEY" integer,
  "ADM_DT" date,
  "DISCH_DT" date,
  "ADM_SRC_CD" text,
  "DISCH_DISP_CD" text,
  "DEPT_KEY" integer,
  "ATTND_PROV_KEY" integer,
  "LOS_DAYS" integer,
  "TOT_CHG_AMT" numeric
);
CREATE TABLE hospital_warehouse."ENC_FACT_SUM" (
  "YR_MO" text,
  "DEPT_KEY" integer,
  "ENC_CNT" integer,
  "AVG_LOS_DAYS" integer,
  "TOT_CHG_AMT" numeric
);
CREATE TABLE hospital_warehouse."ENC_FACT_ALL" (
  "ENC_KEY" integer,
  "PT_KEY" integer,
  "ADM_DT" date,
  "DISCH_DT" date,
  "DEPT_KEY" integer,
  "SRC_SYS_CD" text,
  "CNCL_IND" text
);
CREATE TABLE hospital_warehouse."ENC_DX" (
  "ENC_KEY" integer,
  "DX_CD" text,
  "DX_SEQ_NBR" integer,
  "POA_IND" text,
  "PRIM_DX_IND" text
);
CREATE TABLE hospital_warehouse."ENC_PX" (
  "ENC_KEY" integer,
  "PX_CD" text,
  "PX_SEQ_NBR" integer,
  "PX_DT" date,
  "SURG_PROV_KEY" integer
);
CREATE TABLE hospital_warehouse."DX_DIM" (
  "DX_CD" text,
  "DX_DESC" text,
  "DX_CHAPTR_CD" text,
  "ICD_VER" text
);
CREATE TABLE hospital_warehouse."PX_DIM" (
  "PX_CD" text,
  "PX_DESC" text,
  "PX_GRP_CD" text
);
CREATE TABLE hospital_warehouse."DRG_LKP" (
  "DRG_CD" text,
  "DRG_DESC" text,
  "REL_WT" numeric,
  "GEO_MEAN_LOS" numeric
);
CREATE TABLE hospital_warehouse."ADM_SRC_LKP" (
  "ADM_SRC_CD" text,
  "ADM_SRC_DESC" text
);
CREATE TABLE hospital_warehouse."DISCH_DISP_LKP" (
  "DISCH_DISP_CD" text,
  "DISCH_DISP_DESC" text
);
CREATE TABLE hospital_warehouse."EDVISIT_FACT" (
  "EDVISIT_KEY" integer,
  "PT_KEY" integer,
  "ARRVL_TS" timestamp,
  "TRIAGE_TS" timestamp,
  "TRIAGE_LVL" integer,
  "PROV_SEEN_TS" timestamp,
  "DEPRT_TS" timestamp,
  "DISP_CD" text,
  "LWBS_IND" text
);
CREATE TABLE hospital_warehouse."EDVISIT_SUM" (
  "VISIT_DT" date,
  "VISIT_CNT" integer,
  "LWBS_CNT" integer,
  "AVG_WAIT_MIN" integer
);
CREATE TABLE hospital_warehouse."PROV_DIM" (
  "PROV_KEY" integer,
  "PROV_NM" text,
  "NPI_NBR" integer,
  "SPCLTY_CD" text,
  "PROV_TYP_CD" text,
  "HIRE_DT" date,
  "TERM_DT" date,
  "ACTV_IND" text
);
CREATE TABLE hospital_warehouse."PROV_CRED" (
  "PROV_KEY" integer,
  "CRED_TYP_CD" text,
  "LIC_NBR" integer,
  "LIC_ST_CD" text,
  "ISSUE_DT" date,
  "EXPRN_DT" date
);
CREATE TABLE hospital_warehouse."PROV_SCHED" (
  "PROV_KEY" integer,
  "CLIN_KEY" integer,
  "SCHED_DT" date,
  "STRT_TM" text,
  "END_TM" text,
  "SLOT_CNT" integer
);
CREATE TABLE hospital_warehouse."SPCLTY_LKP" (
  "SPCLTY_CD" text,
  "SPCLTY_DESC" text
);
CREATE TABLE hospital_warehouse."DEPT_DIM" (
  "DEPT_KEY" integer,
  "DEPT_CD" text,
  "DEPT_NM" text,
  "COST_CTR_NBR" integer,
  "FAC_KEY" integer,
  "MGR_EMP_KEY" integer
);
CREATE TABLE hospital_warehouse."FAC_DIM" (
  "FAC_KEY" integer,
  "FAC_CD" text,
  "FAC_NM" text,
  "FAC_ADDR" text,
  "FAC_CITY" text,
  "LICD_BED_CNT" integer
);
CREATE TABLE hospital_warehouse."FAC_BLDG" (
  "BLDG_KEY" integer,
  "FAC_KEY" integer,
  "BLDG_NM" text,
  "YR_BUILT" text,
  "FLR_CNT" integer,
  "GROSS_SQFT" integer
);
CREATE TABLE hospital_warehouse."FAC_RM" (
  "RM_KEY" integer,
  "BLDG_KEY" integer,
  "FLR_NBR" integer,
  "RM_NBR" integer,
  "RM_TYP_CD" text,
  "SQFT" integer
);
CREATE TABLE hospital_warehouse."BED_DIM" (
  "BED_KEY" integer,
  "RM_KEY" integer,
  "BED_NBR" integer,
  "UNIT_CD" text,
  "BED_STAT_CD" text
);
CREATE TABLE hospital_warehouse."BED_OCCPY_FACT" (
  "BED_KEY" integer,
  "CNSUS_DT" date,
  "PT_KEY" integer,
  "OCCPD_IND" text
);
CREATE TABLE hospital_warehouse."CNSUS_DLY" (
  "CNSUS_DT" date,
  "UNIT_CD" text,
  "MIDNT_CNT" integer,
  "ADM_CNT" integer,
  "DISCH_CNT" integer,
  "XFER_IN_CNT" integer
);
CREATE TABLE hospital_warehouse."UNIT_LKP" (
  "UNIT_CD" text,
  "UNIT_NM" text,
  "UNIT_TYP_CD" text
);
CREATE TABLE hospital_warehouse."APPT_FACT" (
  "APPT_KEY" integer,
  "PT_KEY" integer,
  "PROV_KEY" integer,
  "CLIN_KEY" integer,
  "APPT_TS" timestamp,
  "APPT_STAT_CD" text,
  "NOSHOW_IND" text,
  "CNCL_RSN_CD" text,
  "CHKIN_TS" timestamp
);
CREATE TABLE hospital_warehouse."APPT_FACT_HIST" (
  "APPT_KEY" integer,
  "PT_KEY" integer,
  "PROV_KEY" integer,
  "APPT_TS" timestamp,
  "APPT_STAT_CD" text,
  "CHG_TS" timestamp
);
CREATE TABLE hospital_warehouse."CNCL_RSN_LKP" (
  "CNCL_RSN_CD" text,
  "CNCL_RSN_DESC" text
);
CREATE TABLE hospital_warehouse."CLIN_DIM" (
  "CLIN_KEY" integer,
  "CLIN_NM" text,
  "FAC_KEY" integer,
  "CLIN_PHN_NBR" integer
);
CREATE TABLE hospital_warehouse."RFRL_FACT" (
  "RFRL_KEY" integer,
  "PT_KEY" integer,
  "FROM_PROV_KEY" integer,
  "TO_PROV_KEY" integer,
  "SPCLTY_CD" text,
  "RFRL_DT" date,
  "RFRL_STAT_CD" text
);
CREATE TABLE hospital_warehouse."LABORD_HDR" (
  "LABORD_KEY" integer,
  "ENC_KEY" integer,
  "PT_KEY" integer,
  "ORD_PROV_KEY" integer,
  "ORD_TS" timestamp,
  "PRTY_CD" text
);
CREATE TABLE hospital_warehouse."LABORD_DTL" (
  "LABORD_KEY" integer,
  "LN_NBR" integer,
  "LABTST_CD" text,
  "SPECMN_CD" text,
  "COLL_TS" timestamp
);
CREATE TABLE hospital_warehouse."LABRSLT" (
  "LABORD_KEY" integer,
  "LN_NBR" integer,
  "RSLT_VAL" text,
  "RSLT_UOM" text,
  "REF_LOW" text,
  "REF_HIGH" text,
  "ABN_FLG" text,
  "VERIF_TS" timestamp
);
CREATE TABLE hospital_warehouse."LABRSLT_ARCH" (
  "LABORD_KEY" integer,
  "LN_NBR" integer,
  "RSLT_VAL" text,
  "RSLT_UOM" text,
  "ABN_FLG" text,
  "ARCH_DT" date
);
CREATE TABLE hospital_warehouse."LABTST_DIM" (
  "LABTST_CD" text,
  "LABTST_NM" text,
  "LOINC_CD" text,
  "TURNARND_TGT_MIN" integer
);
CREATE TABLE hospital_warehouse."SPECMN_LKP" (
  "SPECMN_CD" text,
  "SPECMN_DESC" text
);
CREATE TABLE hospital_warehouse."RXORD" (
  "RX_KEY" integer,
  "PT_KEY" integer,
  "ENC_KEY" integer,
  "PRSCRBR_KEY" integer,
  "DRUG_KEY" integer,
  "DOSE_QTY" numeric,
  "DOSE_UOM" text,
  "FREQ_CD" text,
  "STRT_DT" date,
  "STOP_DT" date,
  "RFL_CNT" integer
);
CREATE TABLE hospital_warehouse."RXDISP" (
  "RX_KEY" integer,
  "DISP_DT" date,
  "DISP_QTY" numeric,
  "PHRMCY_KEY" integer,
  "DAYS_SUPLY" text
);
CREATE TABLE hospital_warehouse."DRUG_DIM" (
  "DRUG_KEY" integer,
  "NDC_CD" text,
  "DRUG_NM" text,
  "GNRC_NM" text,
  "DRUG_CLS_CD" text,
  "CTRL_SUBST_CD" text,
  "FRMLRY_IND" text
);
CREATE TABLE hospital_warehouse."PHRMCY_DIM" (
  "PHRMCY_KEY" integer,
  "PHRMCY_NM" text,
  "PHRMCY_TYP_CD" text
);
CREATE TABLE hospital_warehouse."MEDADM_FACT" (
  "RX_KEY" integer,
  "ENC_KEY" integer,
  "ADMIN_TS" timestamp,
  "ADMIN_DOSE" text,
  "ADMIN_EMP_KEY" integer,
  "NOTGVN_RSN_CD" text
);
CREATE TABLE hospital_warehouse."IMMZ_FACT" (
  "PT_KEY" integer,
  "VACC_CD" text,
  "ADMIN_DT" date,
  "LOT_NBR" integer,
  "MFR_NM" text,
  "SITE_CD" text
);
CREATE TABLE hospital_warehouse."VACC_LKP" (
  "VACC_CD" text,
  "VACC_NM" text
);
CREATE TABLE hospital_warehouse."RADEXAM" (
  "RADEXAM_KEY" integer,
  "ENC_KEY" integer,
  "PT_KEY" integer,
  "MODLTY_CD" text,
  "BODYPRT_CD" text,
  "EXAM_TS" timestamp,
  "READ_PROV_KEY" integer,
  "RPT_TS" timestamp
);
CREATE TABLE hospital_warehouse."MODLTY_LKP" (
  "MODLTY_CD" text,
  "MODLTY_DESC" text
);
CREATE TABLE hospital_warehouse."ORCASE" (
  "ORCASE_KEY" integer,
  "ENC_KEY" integer,
  "RM_KEY" integer,
  "SURG_PROV_KEY" integer,
  "ANES_PROV_KEY" integer,
  "PX_CD" text,
  "SCHED_STRT_TS" timestamp,
  "WHEELS_IN_TS" timestamp,
  "WHEELS_OUT_TS" timestamp,
  "DELAY_RSN_CD" text
);
CREATE TABLE hospital_warehouse."ORCASE_DLY_SUM" (
  "CASE_DT" date,
  "RM_KEY" integer,
  "CASE_CNT" integer,
  "UTIL_PCT" numeric
);
CREATE TABLE hospital_warehouse."VITALS_FLOW" (
  "ENC_KEY" integer,
  "MEAS_TS" timestamp,
  "HR_BPM" text,
  "BP_SYS" text,
  "BP_DIA" text,
  "TEMP_C" text,
  "RESP_RT" text,
  "SPO2_PCT" numeric
);
CREATE TABLE hospital_warehouse."NRSNOTE" (
  "NOTE_KEY" integer,
  "ENC_KEY" integer,
  "EMP_KEY" integer,
  "NOTE_TS" timestamp,
  "NOTE_TXT" text
);
CREATE TABLE hospital_warehouse."INFCTN_EVT" (
  "EVT_KEY" integer,
  "ENC_KEY" integer,
  "ORGNSM_CD" text,
  "INFCTN_TYP_CD" text,
  "CULTR_DT" date,
  "HAI_IND" text
);
CREATE TABLE hospital_warehouse."ORGNSM_LKP" (
  "ORGNSM_CD" text,
  "ORGNSM_NM" text
);
CREATE TABLE hospital_warehouse."FALLEVT" (
  "EVT_KEY" integer,
  "PT_KEY" integer,
  "UNIT_CD" text,
  "EVT_TS" timestamp,
  "INJRY_LVL_CD" text
);
CREATE TABLE hospital_warehouse."INCDNT_RPT" (
  "INCDNT_KEY" integer,
  "RPT_EMP_KEY" integer,
  "INCDNT_DT" date,
  "INCDNT_CTGY_CD" text,
  "SEVRTY_CD" text,
  "DEPT_KEY" integer,
  "CLSD_DT" date
);
CREATE TABLE hospital_warehouse."PTSURVEY_RESP" (
  "RESP_KEY" integer,
  "ENC_KEY" integer,
  "QSTN_CD" text,
  "SCORE_NBR" integer,
  "CMNT_TXT" text,
  "RECVD_DT" date
);
CREATE TABLE hospital_warehouse."PTSURVEY_QSTN" (
  "QSTN_CD" text,
  "QSTN_TXT" text,
  "DOMN_CD" text
);
CREATE TABLE hospital_warehouse."CHG_TXN" (
  "CHG_KEY" integer,
  "ENC_KEY" integer,
  "CHG_CD" text,
  "SVC_DT" date,
  "CHG_QTY" numeric,
  "CHG_AMT" numeric,
  "POST_DT" date
);
CREATE TABLE hospital_warehouse."CHG_TXN_ALL" (
  "CHG_KEY" integer,
  "ENC_KEY" integer,
  "CHG_CD" text,
  "SVC_DT" date,
  "CHG_AMT" numeric,
  "VOID_IND" text,
  "SRC_SYS_CD" text
);
CREATE TABLE hospital_warehouse."CHGMSTR" (
  "CHG_CD" text,
  "CHG_DESC" text,
  "REVCTR_CD" text,
  "UNIT_PRC" numeric,
  "EFF_DT" date
);
CREATE TABLE hospital_warehouse."CLM_HDR" (
  "CLM_KEY" integer,
  "ENC_KEY" integer,
  "PAYR_KEY" integer,
  "BILL_DT" date,
  "CLM_STAT_CD" text,
  "TOT_BILLD_AMT" numeric,
  "TOT_PAID_AMT" numeric
);
CREATE TABLE hospital_warehouse."CLM_LN" (
  "CLM_KEY" integer,
  "LN_NBR" integer,
  "PX_CD" text,
  "BILLD_AMT" numeric,
  "ALLWD_AMT" numeric,
  "PAID_AMT" numeric
);
CREATE TABLE hospital_warehouse."CLM_DENL" (
  "CLM_KEY" integer,
  "DENL_RSN_CD" text,
  "DENL_DT" date,
  "APPL_IND" text,
  "RECOV_AMT" numeric
);
CREATE TABLE hospital_warehouse."DENL_RSN_LKP" (
  "DENL_RSN_CD" text,
  "DENL_RSN_DESC" text
);
CREATE TABLE hospital_warehouse."PMT_TXN" (
  "PMT_KEY" integer,
  "CLM_KEY" integer,
  "PT_KEY" integer,
  "PMT_DT" date,
  "PMT_AMT" numeric,
  "PMT_MTHD_CD" text
);
CREATE TABLE hospital_warehouse."PTACCT_BAL" (
  "ACCT_KEY" integer,
  "PT_KEY" integer,
  "CURR_BAL_AMT" numeric,
  "LAST_PMT_DT" date,
  "COLLCTN_IND" text
);
CREATE TABLE hospital_warehouse."PTACCT_BAL_HIST" (
  "ACCT_KEY" integer,
  "SNAP_DT" date,
  "BAL_AMT" numeric
);
CREATE TABLE hospital_warehouse."EMP_DIM" (
  "EMP_KEY" integer,
  "EMP_NBR" integer,
  "EMP_NM" text,
  "JOB_CD" text,
  "DEPT_KEY" integer,
  "HIRE_DT" date,
  "TERM_DT" date,
  "FTE_PCT" numeric,
  "EMP_STAT_CD" text
);
CREATE TABLE hospital_warehouse."JOBCD_LKP" (
  "JOB_CD" text,
  "JOB_TITLE" text,
  "UNION_CD" text
);
CREATE TABLE hospital_warehouse."EMP_TMSHT" (
  "EMP_KEY" integer,
  "WRK_DT" date,
  "REG_HRS" numeric,
  "OT_HRS" numeric,
  "DEPT_KEY" integer,
  "PAYCD" text
);
CREATE TABLE hospital_warehouse."EMP_TRNG" (
  "EMP_KEY" integer,
  "CRS_CD" text,
  "CMPLT_DT" date,
  "EXPRN_DT" date
);
CREATE TABLE hospital_warehouse."TRNG_CRS" (
  "CRS_CD" text,
  "CRS_TITLE" text,
  "MANDTRY_IND" text
);
CREATE TABLE hospital_warehouse."SHFTSCHED" (
  "EMP_KEY" integer,
  "SHFT_DT" date,
  "SHFT_CD" text,
  "UNIT_CD" text
);
CREATE TABLE hospital_warehouse."SUPLY_ITM" (
  "ITM_KEY" integer,
  "ITM_DESC" text,
  "MFR_NM" text,
  "UOM_CD" text,
  "UNIT_COST" numeric,
  "STERL_IND" text
);
CREATE TABLE hospital_warehouse."SUPLY_INV" (
  "ITM_KEY" integer,
  "STORLOC_CD" text,
  "QTYONHAND" text,
  "RORDPT" text,
  "LAST_CNT_DT" date
);
CREATE TABLE hospital_warehouse."PO_HDR" (
  "PO_NBR" integer,
  "VNDR_KEY" integer,
  "PO_DT" date,
  "PO_STAT_CD" text,
  "TOT_AMT" numeric,
  "BUYR_EMP_KEY" integer
);
CREATE TABLE hospital_warehouse."PO_LN" (
  "PO_NBR" integer,
  "LN_NBR" integer,
  "ITM_KEY" integer,
  "ORD_QTY" numeric,
  "UNIT_PRC" numeric,
  "RCVD_QTY" numeric
);
CREATE TABLE hospital_warehouse."VNDR_DIM" (
  "VNDR_KEY" integer,
  "VNDR_NM" text,
  "VNDR_CITY" text,
  "PMT_TERMS" text
);
CREATE TABLE hospital_warehouse."BIOMEQ" (
  "EQ_KEY" integer,
  "EQ_DESC" text,
  "MFR_NM" text,
  "MDL_NBR" integer,
  "SER_NBR" integer,
  "DEPT_KEY" integer,
  "PURCH_DT" date,
  "PURCH_COST" numeric
);
CREATE TABLE hospital_warehouse."BIOMEQ_WO" (
  "WO_NBR" integer,
  "EQ_KEY" integer,
  "WO_TYP_CD" text,
  "OPEN_DT" date,
  "CLOS_DT" date,
  "TECH_EMP_KEY" integer,
  "DOWNTM_HRS" numeric
);
CREATE TABLE hospital_warehouse."GL_BAL" (
  "ACCT_NBR" integer,
  "COST_CTR_NBR" integer,
  "FISC_YR" text,
  "PRD_NBR" integer,
  "ACTL_AMT" numeric,
  "BDGT_AMT" numeric
);
CREATE TABLE hospital_warehouse."GL_ACCT" (
  "ACCT_NBR" integer,
  "ACCT_DESC" text,
  "ACCT_TYP_CD" text
);
CREATE TABLE hospital_warehouse."DT_DIM" (
  "DT_KEY" integer,
  "CAL_DT" date,
  "FISC_YR" text,
  "FISC_QTR" text,
  "WKDAY_NM" text,
  "HOLDY_IND" text
);

CREATE SCHEMA town_utility;
CREATE TABLE town_utility."tblCustMstr" (
  "CustNo" integer,
  "CustNm" text,
  "CustTyp" text,
  "BillAddr1" text,
  "BillCity" text,
  "BillZip" text,
  "TelNo" integer,
  "EmailAddr" text,
  "OpenDt" date,
  "ClosDt" date,
  "CrdtScr" text
);
CREATE TABLE town_utility."tblCustMstr_Hist" (
  "CustNo" integer,
  "CustNm" text,
  "CustTyp" text,
  "BillAddr1" text,
  "BillCity" text,
  "ChgDt" date
);
CREATE TABLE town_utility."tblCustCntct" (
  "CustNo" integer,
  "CntctSeq" text,
  "CntctNm" text,
  "CntctRole" text,
  "TelNo" integer
);
CREATE TABLE town_utility."tblSvcAcct" (
  "AcctNo" integer,
  "CustNo" integer,
  "PremNo" integer,
  "SvcTyp" text,
  "AcctStat" text,
  "StrtDt" date,
  "EndDt" date,
  "RateCd" text,
  "BudgBillFlg" text
);
CREATE TABLE town_utility."tblSvcAcct_All" (
  "AcctNo" integer,
  "CustNo" integer,
  "PremNo" integer,
  "SvcTyp" text,
  "AcctStat" text,
  "StrtDt" date,
  "EndDt" date,
  "SrcSys" text
);
CREATE TABLE town_utility."tblPrem" (
  "PremNo" integer,
  "SvcAddr" text,
  "SvcCity" text,
  "SvcZip" text,
  "PremTyp" text,
  "Lat" text,
  "Lon" text,
  "FeedrNo" integer
);
CREATE TABLE town_utility."tblMtrMstr" (
  "MtrNo" integer,
  "MtrTyp" text,
  "MfrCd" text,
  "MdlNo" integer,
  "InstDt" date,
  "RemDt" date,
  "PremNo" integer,
  "AmiFlg" text
);
CREATE TABLE town_utility."tblMtrRdg" (
  "MtrNo" integer,
  "RdgDt" date,
  "RdgVal" text,
  "RdgTyp" text,
  "EstFlg" text,
  "RdrNo" integer
);
CREATE TABLE town_utility."tblMtrRdg_Hist" (
  "MtrNo" integer,
  "RdgDt" date,
  "RdgVal" text,
  "RdgTyp" text
);
CREATE TABLE town_utility."tblMtrRdg_Hrly" (
  "MtrNo" integer,
  "IntvlTs" timestamp,
  "KwhQty" numeric,
  "QualCd" text
);
CREATE TABLE town_utility."tblMtrTst" (
  "MtrNo" integer,
  "TstDt" date,
  "TstRslt" text,
  "AccPct" numeric,
  "TechNo" integer
);
CREATE TABLE town_utility."tblRteMstr" (
  "RteNo" integer,
  "RteNm" text,
  "RdrNo" integer,
  "CycCd" text
);
CREATE TABLE town_utility."tblBillHdr" (
  "BillNo" integer,
  "AcctNo" integer,
  "BillDt" date,
  "DueDt" date,
  "TotAmt" numeric,
  "PrevBal" numeric,
  "CycCd" text
);
CREATE TABLE town_utility."tblBillDtl" (
  "BillNo" integer,
  "LnNo" integer,
  "ChrgCd" text,
  "UsgQty" numeric,
  "Uom" text,
  "ChrgAmt" numeric
);
CREATE TABLE town_utility."tblBillHdr_Arch" (
  "BillNo" integer,
  "AcctNo" integer,
  "BillDt" date,
  "TotAmt" numeric
);
CREATE TABLE town_utility."tblChrgCd" (
  "ChrgCd" text,
  "ChrgDesc" text,
  "TaxFlg" text,
  "GlAcct" text
);
CREATE TABLE town_utility."tblPmt" (
  "PmtNo" integer,
  "AcctNo" integer,
  "PmtDt" date,
  "PmtAmt" numeric,
  "PmtMthd" text,
  "ChkNo" integer
);
CREATE TABLE town_utility."tblPmtRtn" (
  "PmtNo" integer,
  "RtnDt" date,
  "RtnRsn" text,
  "FeeAmt" numeric
);
CREATE TABLE town_utility."tblPmtArrg" (
  "ArrgNo" integer,
  "AcctNo" integer,
  "ArrgDt" date,
  "InstlCnt" integer,
  "InstlAmt" numeric,
  "BrknFlg" text
);
CREATE TABLE town_utility."tblDlnq" (
  "AcctNo" integer,
  "DlnqStg" text,
  "NtcDt" date,
  "PastDueAmt" numeric,
  "DaysLate" text
);
CREATE TABLE town_utility."tblDisc" (
  "DiscNo" integer,
  "AcctNo" integer,
  "DiscDt" date,
  "DiscRsn" text,
  "RcnctDt" date
);
CREATE TABLE town_utility."tblDep" (
  "AcctNo" integer,
  "DepDt" date,
  "DepAmt" numeric,
  "RfndDt" date,
  "IntAmt" numeric
);
CREATE TABLE town_utility."tblLowIncAsst" (
  "AcctNo" integer,
  "PrgmCd" text,
  "EnrlDt" date,
  "BnftAmt" numeric
);
CREATE TABLE town_utility."tblRateMstr" (
  "RateCd" text,
  "RateDesc" text,
  "SvcTyp" text,
  "EffDt" date,
  "ExpDt" date
);
CREATE TABLE town_utility."tblRateTier" (
  "RateCd" text,
  "TierNo" integer,
  "FromQty" numeric,
  "ToQty" numeric,
  "UnitPrc" numeric
);
CREATE TABLE town_utility."tblOutgEvt" (
  "OutgNo" integer,
  "StrtTs" timestamp,
  "EndTs" timestamp,
  "CausCd" text,
  "FeedrNo" integer,
  "CustAffCnt" integer,
  "CrewNo" integer
);
CREATE TABLE town_utility."tblOutgEvt_Hist" (
  "OutgNo" integer,
  "StrtTs" timestamp,
  "EndTs" timestamp,
  "CausCd" text
);
CREATE TABLE town_utility."tblOutgCall" (
  "CallNo" integer,
  "OutgNo" integer,
  "PremNo" integer,
  "CallTs" timestamp
);
CREATE TABLE town_utility."tblCausCd" (
  "CausCd" text,
  "CausDesc" text,
  "WthrFlg" text
);
CREATE TABLE town_utility."tblFeedr" (
  "FeedrNo" integer,
  "SubstnNo" integer,
  "FeedrNm" text,
  "Kv" text,
  "LenMi" text
);
CREATE TABLE town_utility."tblSubstn" (
  "SubstnNo" integer,
  "SubstnNm" text,
  "CapMva" text,
  "CommsnDt" date,
  "RgnCd" text
);
CREATE TABLE town_utility."tblXfmr" (
  "XfmrNo" integer,
  "FeedrNo" integer,
  "PoleNo" integer,
  "Kva" text,
  "InstDt" date,
  "OilTstDt" date
);
CREATE TABLE town_utility."tblPole" (
  "PoleNo" integer,
  "HtFt" text,
  "MtlCd" text,
  "SetYr" text,
  "InspDt" date,
  "CondCd" text
);
CREATE TABLE town_utility."tblVegMgmt" (
  "FeedrNo" integer,
  "TrimDt" date,
  "MiTrmd" text,
  "CntrctrNo" integer,
  "CostAmt" numeric
);
CREATE TABLE town_utility."tblWtrMain" (
  "MainNo" integer,
  "DiaIn" text,
  "MtlCd" text,
  "LayYr" text,
  "LenFt" text,
  "PresZn" text
);
CREATE TABLE town_utility."tblMainBrk" (
  "BrkNo" integer,
  "MainNo" integer,
  "BrkDt" date,
  "RprDt" date,
  "RprCost" numeric,
  "SoilTyp" text
);
CREATE TABLE town_utility."tblHydrnt" (
  "HydrntNo" integer,
  "MainNo" integer,
  "LocDesc" text,
  "FlwGpm" text,
  "InspDt" date
);
CREATE TABLE town_utility."tblVlv" (
  "VlvNo" integer,
  "MainNo" integer,
  "VlvTyp" text,
  "NrmlPos" text,
  "ExrcsDt" date
);
CREATE TABLE town_utility."tblWtrQualSmp" (
  "SmpNo" integer,
  "SiteNo" integer,
  "SmpTs" timestamp,
  "AnlytCd" text,
  "RsltVal" text,
  "Uom" text,
  "ExcdFlg" text
);
CREATE TABLE town_utility."tblAnlyt" (
  "AnlytCd" text,
  "AnlytNm" text,
  "MaxCntmLvl" integer
);
CREATE TABLE town_utility."tblPmpStn" (
  "PmpStnNo" integer,
  "PmpStnNm" text,
  "CapGpm" text,
  "ElevFt" text
);
CREATE TABLE town_utility."tblPmpRun" (
  "PmpStnNo" integer,
  "RunDt" date,
  "RunHrs" numeric,
  "KwhUsd" text
);
CREATE TABLE town_utility."tblResrv" (
  "ResrvNo" integer,
  "ResrvNm" text,
  "CapMg" text
);
CREATE TABLE town_utility."tblResrvLvl" (
  "ResrvNo" integer,
  "LvlDt" date,
  "LvlFt" text,
  "VolMg" text
);
CREATE TABLE town_utility."tblGasLk" (
  "LkNo" integer,
  "RptTs" timestamp,
  "GradeCd" text,
  "LocDesc" text,
  "RprTs" timestamp
);
CREATE TABLE town_utility."tblGasReg" (
  "RegStnNo" integer,
  "InletPsi" text,
  "OutltPsi" text,
  "InspDt" date
);
CREATE TABLE town_utility."tblGenUnt" (
  "GenUntNo" integer,
  "PlntNo" integer,
  "FuelCd" text,
  "CapMw" text,
  "CommsnDt" date
);
CREATE TABLE town_utility."tblGenHrly" (
  "GenUntNo" integer,
  "HrTs" timestamp,
  "NetMwh" text,
  "HtRate" text,
  "FuelBurn" text
);
CREATE TABLE town_utility."tblPlnt" (
  "PlntNo" integer,
  "PlntNm" text,
  "PlntTyp" text,
  "RgnCd" text
);
CREATE TABLE town_utility."tblEmsn" (
  "PlntNo" integer,
  "EmsnDt" date,
  "PollutCd" text,
  "Tons" text
);
CREATE TABLE town_utility."tblLoadFcst" (
  "FcstDt" date,
  "HrNo" integer,
  "RgnCd" text,
  "FcstMw" text,
  "ActlMw" text
);
CREATE TABLE town_utility."tblPwrPurch" (
  "TrdNo" integer,
  "CntrprtyNo" integer,
  "DlvDt" date,
  "Mwh" text,
  "PrcMwh" text
);
CREATE TABLE town_utility."tblNetMtrg" (
  "AcctNo" integer,
  "PvKw" text,
  "BattKwh" text,
  "IntrcnDt" date,
  "ExprtKwh" text
);
CREATE TABLE town_utility."tblEvRebt" (
  "RebtNo" integer,
  "AcctNo" integer,
  "VehMk" text,
  "RebtAmt" numeric,
  "ApprDt" date
);
CREATE TABLE town_utility."tblEnrgyAudit" (
  "AuditNo" integer,
  "PremNo" integer,
  "AuditDt" date,
  "AudtrNo" integer,
  "RecmdTxt" text
);
CREATE TABLE town_utility."tblCallCtr" (
  "CallNo" integer,
  "CustNo" integer,
  "CallTs" timestamp,
  "RsnCd" text,
  "AgntNo" integer,
  "HndlSec" integer,
  "WaitSec" integer
);
CREATE TABLE town_utility."tblCallRsn" (
  "RsnCd" text,
  "RsnDesc" text
);
CREATE TABLE town_utility."tblCmplnt" (
  "CmplntNo" integer,
  "CustNo" integer,
  "CmplntDt" date,
  "CtgyCd" text,
  "RslvDt" date,
  "EsclFlg" text
);
CREATE TABLE town_utility."tblWrkOrdHdr" (
  "WoNo" integer,
  "WoTyp" text,
  "PrtyCd" text,
  "CreDt" date,
  "CmplDt" date,
  "CrewNo" integer,
  "AstNo" integer
);
CREATE TABLE town_utility."tblWrkOrdTsk" (
  "WoNo" integer,
  "TskNo" integer,
  "TskDesc" text,
  "EstHrs" numeric,
  "ActHrs" numeric
);
CREATE TABLE town_utility."tblWrkOrdMtl" (
  "WoNo" integer,
  "ItmNo" integer,
  "QtyUsd" text,
  "CostAmt" numeric
);
CREATE TABLE town_utility."tblWrkOrdHdr_Hist" (
  "WoNo" integer,
  "WoTyp" text,
  "CmplDt" date
);
CREATE TABLE town_utility."tblCrew" (
  "CrewNo" integer,
  "CrewNm" text,
  "FormnEmpNo" integer,
  "DepotCd" text
);
CREATE TABLE town_utility."tblEmp" (
  "EmpNo" integer,
  "EmpNm" text,
  "JobTtl" text,
  "DeptCd" text,
  "HireDt" date,
  "SupEmpNo" integer
);
CREATE TABLE town_utility."tblEmpSfty" (
  "IncNo" integer,
  "EmpNo" integer,
  "IncDt" date,
  "InjTyp" text,
  "LostDays" integer
);
CREATE TABLE town_utility."tblEmpCert" (
  "EmpNo" integer,
  "CertCd" text,
  "CertDt" date,
  "ExpDt" date
);
CREATE TABLE town_utility."tblTmCard" (
  "EmpNo" integer,
  "WrkDt" date,
  "RegHrs" numeric,
  "OtHrs" numeric,
  "WoNo" integer
);
CREATE TABLE town_utility."tblFleetVeh" (
  "VehNo" integer,
  "VehTyp" text,
  "MkNm" text,
  "MdlYr" text,
  "OdoMi" text,
  "DepotCd" text
);
CREATE TABLE town_utility."tblFleetFuel" (
  "VehNo" integer,
  "FuelDt" date,
  "Gal" text,
  "CostAmt" numeric
);
CREATE TABLE town_utility."tblFleetMnt" (
  "VehNo" integer,
  "MntDt" date,
  "MntTyp" text,
  "CostAmt" numeric
);
CREATE TABLE town_utility."tblInvItm" (
  "ItmNo" integer,
  "ItmDesc" text,
  "Uom" text,
  "UnitCost" numeric
);
CREATE TABLE town_utility."tblInvStk" (
  "ItmNo" integer,
  "DepotCd" text,
  "QtyOnHnd" text,
  "MinQty" numeric
);
CREATE TABLE town_utility."tblVend" (
  "VendNo" integer,
  "VendNm" text,
  "VendCity" text,
  "PmtTrm" text
);
CREATE TABLE town_utility."tblPurchOrd" (
  "PoNo" integer,
  "VendNo" integer,
  "PoDt" date,
  "PoAmt" numeric
);
CREATE TABLE town_utility."tblCapProj" (
  "ProjNo" integer,
  "ProjNm" text,
  "MgrEmpNo" integer,
  "BdgtAmt" numeric,
  "SpntAmt" numeric,
  "StrtDt" date,
  "InSvcDt" date
);
CREATE TABLE town_utility."tblGlBal" (
  "GlAcct" text,
  "CoCd" text,
  "FiscYr" text,
  "PrdNo" integer,
  "BalAmt" numeric
);
CREATE TABLE town_utility."tblEasmt" (
  "EasmtNo" integer,
  "ParcelNo" integer,
  "GrntrNm" text,
  "RecDt" date
);
CREATE TABLE town_utility."tblStrtLt" (
  "LtNo" integer,
  "PoleNo" integer,
  "LampTyp" text,
  "Watt" text,
  "OutFlg" text
);
CREATE TABLE town_utility."EVER" (
  "VERTRAG" text,
  "VKONTO" text,
  "ANLAGE" text,
  "EINZDAT" text,
  "AUSZDAT" text
);
COMMENT ON TABLE town_utility."EVER" IS 'Utility contracts';
CREATE TABLE town_utility."EANL" (
  "ANLAGE" text,
  "VSTELLE" text,
  "SPARTE" text,
  "TARIFTYP" text
);
COMMENT ON TABLE town_utility."EANL" IS 'Utility installations';
CREATE TABLE town_utility."ERDK" (
  "OPBEL" text,
  "VKONT" text,
  "BUDAT" text,
  "TOTAL_AMNT" text
);
COMMENT ON TABLE town_utility."ERDK" IS 'Printed bill documents: header';
CREATE TABLE town_utility."DFKKOP" (
  "OPBEL" text,
  "VKONT" text,
  "FAEDN" text,
  "BETRW" text,
  "AUGST" text
);
COMMENT ON TABLE town_utility."DFKKOP" IS 'Open items in contract accounts';
CREATE TABLE town_utility."EGERR" (
  "EQUNR" text,
  "SERNR" text,
  "BAUKLAS" text,
  "AB" text,
  "BIS" text
);
COMMENT ON TABLE town_utility."EGERR" IS 'Device: register and history';
CREATE TABLE town_utility."KNA1" (
  "KUNNR" text,
  "NAME1" text,
  "ORT01" text,
  "PSTLZ" text,
  "LAND1" text
);
COMMENT ON TABLE town_utility."KNA1" IS 'General data in customer master';
